package verbs

import "slices"

// DeviceInfo identifies a device before it is opened.
type DeviceInfo struct {
	Name      string `json:"name"`      // "mlx5_0", "rxe0", "soft0"
	Provider  string `json:"provider"`  // HostProvider or SoftProvider
	NodeGUID  GUID   `json:"node_guid"` //
	NodeType  string `json:"node_type"` // "CA", "RNIC", …
	Transport string `json:"transport"` // "InfiniBand", "iWARP", …
	DevName   string `json:"dev_name,omitempty"`
	DevPath   string `json:"dev_path,omitempty"`   // class directory of the char device
	IBDevPath string `json:"ibdev_path,omitempty"` // class directory of the device in sysfs
}

// Names of the providers, as used by --provider and [DeviceInfo].
const (
	HostProvider = "ibverbs" // the host's libibverbs and librdmacm
	SoftProvider = "soft"    // the software device of this process
)

// Provider lists and opens devices. Its methods may be called from any
// goroutine.
type Provider interface {
	// Name returns the provider's name for --provider: [HostProvider] or [SoftProvider].
	Name() string
	// Devices lists the devices that can be opened, in the provider's order. An error that
	// matches ErrUnsupported means that the host has no RDMA support at all.
	Devices() ([]DeviceInfo, error)
	// Open opens the named device; ibv_open_device(3).
	Open(name string) (Device, error)
}

// Noter is implemented by providers that report where a device differs from what the
// user may expect.
type Noter interface {
	// Notes returns one note for each difference, none if there is none.
	Notes() []Note
}

// Note is one remark about a provider's devices.
type Note struct {
	Devices []string // names of the devices concerned; never empty
	Text    string   // one line: which device, what differs, why, and how to change it
}

// NotesOn returns a provider's notes about the named device, or all notes for "".
func NotesOn(p Provider, device string) (texts []string) {
	noter, ok := p.(Noter)
	if !ok {
		return nil
	}
	for _, n := range noter.Notes() {
		if device == "" || slices.Contains(n.Devices, device) {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// HWCounter is one counter of a device, like a file in the hw_counters directory of a
// kernel device.
type HWCounter struct {
	Name  string // the name that the kernel's devices use, if they have the same counter
	Help  string // what it counts, in a few words
	Value uint64 // since the device was created
}

// HWCounterReader is implemented by providers whose devices keep counters that the
// operating system does not expose.
type HWCounterReader interface {
	// HWCounters reads all counters of the named device, in a fixed order.
	HWCounters(device string) ([]HWCounter, error)
}
