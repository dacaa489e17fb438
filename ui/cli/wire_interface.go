package cli

import (
	"net"

	"rdmatui/devices"
)

// interfaceOf returns the network interface that -i names: itself, or that of an RDMA device.
func (c *call) interfaceOf(name string) string {
	if _, err := net.InterfaceByName(name); name == "" || err == nil || c.Host == nil {
		return name
	}
	if of := devices.InterfaceOf(c.Host, name); of != "" {
		return of
	}
	return name // no interface has this name, which is the error that counts
}
