package devices

import (
	"context"
	"net/netip"

	"rdmatui/verbs"
)

// OS is the operating system as the inventory sees it. Paths are absolute.
// Its methods may be called from any goroutine. [Host] returns the real one.
type OS interface {
	// ReadFile returns the first max bytes of a file.
	ReadFile(path string, max int) ([]byte, error)
	// ReadDir returns the names in a directory, sorted; a bounded number of them.
	ReadDir(path string) ([]string, error)
	// Resolve follows all symbolic links of a path.
	Resolve(path string) (string, error)
	// Access returns why a file cannot be opened for reading and writing; nil if it can.
	Access(path string) error

	// CharDevices lists the character devices that belong to an RDMA device.
	CharDevices(device string) []string
	// DeviceForNetdev returns the RDMA device of a netdev, "" if it has none.
	DeviceForNetdev(netdev string) (string, error)
	// Addresses lists the IP addresses of the netdev with this index; 0: of all netdevs.
	Addresses(ifindex int) ([]netip.Prefix, error)
	// DriverModule returns the kernel module that drives an RDMA device which
	// has no parent in the device tree, such as rxe.
	DriverModule(device string) (string, error)
	// Resources lists the processes that use an RDMA device, and their objects.
	Resources(device string) (Resources, error)
	// Exclusive reports whether an RDMA device is visible in one network namespace only
	// (rdma system: netns exclusive) and not in all of them.
	Exclusive() (bool, error)
	// Memlock returns RLIMIT_MEMLOCK in bytes; [Unlimited] if there is no limit.
	Memlock() (soft, hard uint64, err error)
	// Changes calls notify whenever something in the kernel's devices, netdevs
	// or addresses may have changed. It returns when ctx ends, or at once with an error
	// that matches verbs.ErrUnsupported if the system does not announce changes.
	// crashed is called after a panic in one of its goroutines.
	Changes(ctx context.Context, notify func(), crashed verbs.CrashHook) error

	// Close closes everything that was opened; the OS stays usable.
	Close() error
}

// Unlimited is the value of a resource limit that is not set, RLIM_INFINITY.
const Unlimited = ^uint64(0)
