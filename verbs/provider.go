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
	DevPath   string `json:"dev_path,omitempty"`   // char device's class directory
	IBDevPath string `json:"ibdev_path,omitempty"` // device's class directory in sysfs
}

// Names of the providers, as --provider and [DeviceInfo] have them.
const (
	HostProvider = "ibverbs" // the host's libibverbs and librdmacm
	SoftProvider = "soft"    // the software device of this process
)

// Provider lists and opens devices. Its methods may be called from any
// goroutine.
type Provider interface {
	// Name is what --provider calls it: [HostProvider] or [SoftProvider].
	Name() string
	// Devices lists what can be opened, in the provider's order. An error that
	// matches ErrUnsupported means that the host has no such thing at all.
	Devices() ([]DeviceInfo, error)
	// Open opens the named device; ibv_open_device(3).
	Open(name string) (Device, error)
}

// Noter is implemented by providers that have something to say about how a
// device came out, other than the user may have expected.
type Noter interface {
	// Notes returns one note a matter, none where all is as asked.
	Notes() []Note
}

// Note is one matter of a provider's devices.
type Note struct {
	Devices []string // the names of those that it is about; never empty
	Text    string   // one line: which device, what, why, and what would change it
}

// NotesOn returns what a provider has to say of the named device; of each that it has,
// for "".
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

// HWCounter is one of the numbers that a device itself keeps, as the files in a
// kernel device's hw_counters directory are.
type HWCounter struct {
	Name  string // as the kernel's devices name it where they have the same
	Help  string // what it counts, in a few words
	Value uint64 // since the device came into being
}

// HWCounterReader is implemented by providers whose devices keep counters that
// the operating system does not show.
type HWCounterReader interface {
	// HWCounters reads all counters of the named device, in a fixed order.
	HWCounters(device string) ([]HWCounter, error)
}
