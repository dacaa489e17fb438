package device

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// placeLimit bounds the lookup of a host name for the choice of a device.
const placeLimit = 3 * time.Second

// Choose returns the named device, or with "" the suitable one on the route to a peer, or the first with an ACTIVE
// port. peer is an address or a host name, "" for none; for a server it is the own address.
func Choose(s *core.Session, name string, lack func(*verbs.DeviceInfo) error,
	peer string) (route.ChosenDevice, error) {
	list := func() ([]verbs.DeviceInfo, error) { return available(s) }
	if name != "" {
		p, err := ProviderOf(s, name)
		if err != nil {
			return route.ChosenDevice{}, err
		}
		list = func() ([]verbs.DeviceInfo, error) { return List(s.Ctx, s, p) } // others need not claim their ports
	}
	infos, err := list()
	if len(infos) == 0 {
		return route.ChosenDevice{}, errors.Join(errors.New("there is no device"), err)
	}
	able, err := placesFor(infos, name, lack)
	if err != nil || len(able) == 1 {
		return route.ChosenDevice{Name: able[0]}, err
	}
	all := make([]route.Candidate, len(able))
	for i := range able {
		all[i] = candidate(s, able[i])
	}
	return network(s).Device(all, addressOf(s, peer)), nil
}

// placesFor returns the suitable devices with that name, or with "" all. If none is suitable, it returns the name alone
// and the reason of the first device.
func placesFor(infos []verbs.DeviceInfo, name string, lack func(*verbs.DeviceInfo) error) (able []string, first error) {
	for i := range infos {
		if name != "" && infos[i].Name != name {
			continue
		}
		err := lack(&infos[i])
		if err == nil {
			able = append(able, infos[i].Name)
		} else if first == nil {
			first = err
		}
	}
	if len(able) > 0 {
		return able, nil
	}
	return []string{name}, first
}

// TellChoice notes which of several devices was chosen, and why.
func TellChoice(s *core.Session, d route.ChosenDevice) {
	if d.Why != "" {
		s.Note(timeline.LevelInfo, "device %s: %s", d.Name, d.Why)
	}
}

// candidate reads what the choice of a device needs. If a device cannot be read, only its name is set.
func candidate(s *core.Session, name string) route.Candidate {
	read := route.Candidate{Name: name}
	p, err := ProviderOf(s, name)
	if err != nil {
		return read
	}
	answer := make(chan route.Candidate, 1)
	_ = s.Guard(s.Ctx, ccall.Text("ibv_open_device("+name+")"), func() error { // opening it later reports the error
		dev, err := p.Open(name)
		if err != nil {
			return err
		}
		c := route.Candidate{Name: name}
		attr, err := dev.QueryDevice()
		for n := 1; err == nil && n <= int(attr.PhysPortCnt); n++ {
			var port verbs.PortAttr
			port, err = dev.QueryPort(uint8(n))
			c.Ports = append(c.Ports, port.State)
		}
		if err == nil {
			c.GIDs, err = dev.QueryGIDTable()
		}
		answer <- c
		return errors.Join(err, dev.Close())
	})
	select {
	case read = <-answer:
	default:
	}
	return read
}

// addressOf returns the IP address of a host, invalid if it has none.
func addressOf(s *core.Session, host string) netip.Addr {
	if addr, err := netip.ParseAddr(host); err == nil || host == "" {
		return addr.Unmap()
	}
	ctx, cancel := context.WithTimeout(s.Ctx, placeLimit)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.Addr{} // the exchange reports the error
	}
	return found[0].Unmap()
}
