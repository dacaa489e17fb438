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

// errNoKernelRDMA is what every question about the kernel's devices gets.
var errNoKernelRDMA = &verbs.UnsupportedError{Feature: "RDMA in the kernel", Requires: "Linux"}

func (host) CharDevices(string) []string                            { return nil }
func (host) DeviceForNetdev(string) (string, error)                 { return "", errNoKernelRDMA }
func (host) Addresses(int) ([]netip.Prefix, error)                  { return nil, errNoKernelRDMA }
func (host) DriverModule(string) (string, error)                    { return "", errNoKernelRDMA }
func (host) Resources(string) (Resources, error)                    { return Resources{}, errNoKernelRDMA }
func (host) Exclusive() (bool, error)                               { return false, errNoKernelRDMA }
func (host) Memlock() (soft, hard uint64, err error)                { return 0, 0, errNoKernelRDMA }
func (host) Changes(context.Context, func(), verbs.CrashHook) error { return errNoKernelRDMA }
func (host) Close() error                                           { return nil }
