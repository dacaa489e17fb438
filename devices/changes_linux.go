package devices

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"rdmatui/verbs"
)

// announcer is a netlink multicast group in which the kernel announces changes.
type announcer struct {
	family int
	groups uint32 // bit mask
	marker []byte // only messages that contain it count; nil: all count
}

// announcers lists the groups: uevents for RDMA devices, route messages for netdevs and
// their addresses. Messages are not decoded: each means "something may have changed".
var announcers = []announcer{
	{unix.NETLINK_KOBJECT_UEVENT, 1, []byte("infiniband")},
	{unix.NETLINK_ROUTE, unix.RTMGRP_LINK | unix.RTMGRP_IPV4_IFADDR | unix.RTMGRP_IPV6_IFADDR, nil},
}

// Changes reads the kernel's uevent and route multicast groups and calls notify for
// each message that may concern a device, a netdev or an address, until ctx ends. It
// fails only if no group could be joined.
func (h *host) Changes(ctx context.Context, notify func(), crashed verbs.CrashHook) error {
	var open []*os.File
	var failed error
	var readers sync.WaitGroup
	for _, a := range announcers {
		f, err := a.subscribe()
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		open = append(open, f)
		readers.Go(func() {
			defer crashed.Catch()
			a.read(f, notify)
		})
	}
	if len(open) == 0 {
		return failed
	}
	<-ctx.Done()
	for _, f := range open {
		f.Close()
	}
	readers.Wait()
	return ctx.Err()
}

func (a announcer) subscribe() (*os.File, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, a.family)
	if err != nil {
		return nil, fmt.Errorf("netlink: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: a.groups}); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("netlink: %w", err)
	}
	return os.NewFile(uintptr(fd), "netlink"), nil
}

func (a announcer) read(f io.Reader, notify func()) {
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		switch {
		case errors.Is(err, unix.ENOBUFS): // messages were lost, so something changed
			notify()
		case err != nil:
			return
		case a.marker == nil || bytes.Contains(buf[:n], a.marker):
			notify()
		}
	}
}
