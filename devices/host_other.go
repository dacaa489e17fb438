//go:build !linux

package devices

import (
	"context"
	"net/netip"

	"rdmatui/verbs"
)

// host is a machine whose kernel has no RDMA: only software devices exist.
type host struct{ tree }

// Host returns this machine.
func Host() OS { return host{tree{"/"}} }

// errNoKernelRDMA is the error of every question about the kernel's devices.
var errNoKernelRDMA = &verbs.UnsupportedError{Feature: "RDMA in the kernel", Requires: "Linux"}

// CharDevices returns nil: the kernel has no RDMA devices.
func (host) CharDevices(string) []string { return nil }

// DeviceForNetdev always fails with an error that matches [verbs.ErrUnsupported].
func (host) DeviceForNetdev(string) (string, error) { return "", errNoKernelRDMA }

// Addresses always fails with an error that matches [verbs.ErrUnsupported].
func (host) Addresses(int) ([]netip.Prefix, error) { return nil, errNoKernelRDMA }

// DriverModule always fails with an error that matches [verbs.ErrUnsupported].
func (host) DriverModule(string) (string, error) { return "", errNoKernelRDMA }

// Resources always fails with an error that matches [verbs.ErrUnsupported].
func (host) Resources(string) (Resources, error) { return Resources{}, errNoKernelRDMA }

// Exclusive always fails with an error that matches [verbs.ErrUnsupported].
func (host) Exclusive() (bool, error) { return false, errNoKernelRDMA }

// Memlock always fails with an error that matches [verbs.ErrUnsupported].
func (host) Memlock() (soft, hard uint64, err error) { return 0, 0, errNoKernelRDMA }

// Changes returns at once with an error that matches [verbs.ErrUnsupported]: the caller polls.
func (host) Changes(context.Context, func(), verbs.CrashHook) error { return errNoKernelRDMA }

// Close does nothing: a host without RDMA opens nothing.
func (host) Close() error { return nil }

// RouteBetween always fails with an error that matches [verbs.ErrUnsupported].
func RouteBetween(_, _ netip.Addr) (Route, error) {
	return Route{}, &verbs.UnsupportedError{Feature: "reading the routing table"}
}
