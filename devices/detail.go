package devices

import (
	"errors"
	"fmt"

	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// Detail holds everything about one device that does not change from one second
// to the next.
type Detail struct {
	verbs.DeviceInfo
	DeviceAttr   verbs.DeviceAttr    `json:"device_attr"`
	DeviceAttrEx *verbs.DeviceAttrEx `json:"device_attr_ex,omitempty"` // nil where the driver has none
	Ports        []Port              `json:"ports"`
	HostFacts
	// Problems lists the parts that could not be read.
	Problems []Problem `json:"problems,omitempty"`
}

// UsualPort returns the port to use if none is given, and why.
func (d *Detail) UsualPort() route.ChosenPort {
	states := make([]verbs.PortState, len(d.Ports))
	for i := range d.Ports {
		states[i] = d.Ports[i].State
	}
	return route.Port(states)
}

// Problem names a part of a device that could not be read, and why.
type Problem struct {
	What string `json:"what"`
	Err  string `json:"error"`
}

func (d *Detail) problem(what string, err error) {
	d.Problems = append(d.Problems, Problem{what, cutText(err.Error())})
}

// Detail opens the named device, reads it and closes it. If no provider has the device
// it returns an [*UnknownDeviceError], which lists the existing names.
func (inv *Inventory) Detail(name string) (Detail, error) {
	// Ask the host while the library opens the device: together they take
	// as long as the library alone.
	host := inv.askHost(name)
	dev, err := inv.Open(name)
	if err != nil {
		<-host
		return Detail{}, err
	}
	d, err := inv.join(dev, host)
	return d, errors.Join(err, dev.Close())
}

// DetailOf reads a device that is already open. It does not close it.
func (inv *Inventory) DetailOf(dev verbs.Device) (Detail, error) {
	return inv.join(dev, inv.askHost(dev.Info().Name))
}

// join reads the device and adds the facts of the host.
func (inv *Inventory) join(dev verbs.Device, host <-chan hostAnswer) (Detail, error) {
	d := Detail{DeviceInfo: boundInfo(dev.Info())}
	err := d.readDevice(dev)
	answer := <-host
	if err != nil {
		return d, fmt.Errorf("device %q: %w", d.Name, err)
	}
	d.HostFacts = answer.HostFacts
	d.Problems = append(d.Problems, answer.problems...)
	d.joinNetdevs(inv.os, answer.dir)
	return d, nil
}

// readDevice reads what the provider reports.
func (d *Detail) readDevice(dev verbs.Device) error {
	attr, err := dev.QueryDevice()
	if err != nil {
		return err
	}
	attr.FWVer = cutText(attr.FWVer)
	d.DeviceAttr = attr
	switch ex, err := dev.QueryDeviceEx(); {
	case err == nil:
		d.DeviceAttrEx = &ex
	case !errors.Is(err, verbs.ErrUnsupported):
		d.problem("device_attr_ex", err)
	}
	d.readPorts(dev)
	return nil
}

func (d *Detail) readPorts(dev verbs.Device) {
	gids, err := dev.QueryGIDTable()
	if err != nil {
		d.problem("gids", err)
	}
	for n := 1; n <= d.portCount(); n++ {
		attr, err := dev.QueryPort(uint8(n))
		if err != nil {
			d.problem(fmt.Sprintf("port %d", n), err)
			attr = verbs.PortAttr{State: verbs.PortUnreadable}
		}
		attr.PortNum = uint8(n)
		p := Port{PortAttr: attr, GIDs: portGIDs(gids, uint8(n)), PKeys: []uint16{}}
		if err != nil {
			d.Ports = append(d.Ports, p)
			continue
		}
		if p.PKeys, err = readPKeys(dev, &attr); err != nil {
			d.problem(fmt.Sprintf("pkeys of port %d", n), err)
		}
		d.Ports = append(d.Ports, p)
	}
}

// portCount prefers the wider field: verbs number ports with 8 bits, but a device may
// have more.
func (d *Detail) portCount() int {
	n := int(d.DeviceAttr.PhysPortCnt)
	if d.DeviceAttrEx != nil && d.DeviceAttrEx.PhysPortCntEx > uint32(n) {
		n = int(min(d.DeviceAttrEx.PhysPortCntEx, 255))
	}
	return n
}
