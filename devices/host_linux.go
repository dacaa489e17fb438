package devices

import (
	"fmt"

	"github.com/Mellanox/rdmamap"
	"golang.org/x/sys/unix"
)

// host is this machine.
type host struct {
	tree
	netlinkSockets
}

// Host returns this machine. It opens nothing until a method is called.
func Host() OS { return &host{tree: tree{"/"}} }

// CharDevices lists a device's character devices, from sysfs; nil if it has none or the
// name is not that of a device.
func (h *host) CharDevices(device string) []string {
	return charDevices(device, rdmamap.GetRdmaCharDevices)
}

// charDevices calls filesOf, which takes the name as part of a path, if the name is that of a device.
func charDevices(device string, filesOf func(device string) []string) []string {
	if !plainName(device) {
		return nil
	}
	return filesOf(device)
}

// DeviceForNetdev returns the RDMA device of a netdev, "" if it has none.
func (h *host) DeviceForNetdev(netdev string) (string, error) {
	return askLibrary(netdev, rdmamap.GetRdmaDeviceForNetdevice)
}

// askLibrary calls deviceOf and turns a panic into an error. The library does not check
// the lengths of hardware addresses and files, and one odd netdev must not end the
// program.
func askLibrary(netdev string, deviceOf func(netdev string) (string, error)) (device string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("netdev %q: %v", netdev, r)
		}
	}()
	device, err = deviceOf(netdev)
	return cutText(device), err
}

// Memlock returns RLIMIT_MEMLOCK of this process in bytes; [Unlimited] for no limit.
func (h *host) Memlock() (soft, hard uint64, err error) {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &lim); err != nil {
		return 0, 0, fmt.Errorf("getrlimit: %w", err)
	}
	return lim.Cur, lim.Max, nil
}
