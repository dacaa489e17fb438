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

// Host returns this machine. It opens nothing before it is asked.
func Host() OS { return &host{tree: tree{"/"}} }

func (h *host) CharDevices(device string) []string {
	if !plainName(device) {
		return nil
	}
	return rdmamap.GetRdmaCharDevices(device)
}

func (h *host) DeviceForNetdev(netdev string) (string, error) {
	return askLibrary(netdev, rdmamap.GetRdmaDeviceForNetdevice)
}

// askLibrary asks about a netdev. The library takes hardware addresses and
// files to be as long as they should be; one odd netdev must not end the
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

func (h *host) Memlock() (soft, hard uint64, err error) {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &lim); err != nil {
		return 0, 0, fmt.Errorf("getrlimit: %w", err)
	}
	return lim.Cur, lim.Max, nil
}
