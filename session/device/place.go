package device

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/choice"
)

// placeLimit bounds how long a host name is looked up for the choice of a device.
const placeLimit = 3 * time.Second

// Choose is the device that is meant, or with "" the one of those that lack nothing by which the way to a peer leaves, or that has
// an ACTIVE port. peer is an address or a host name, "" for none; for a server it is an own address.
func Choose(s *core.Session, name string, lack func(*verbs.DeviceInfo) error, peer string) (choice.ChosenDevice, error) {
	if name != "" {
		if _, err := ProviderOf(s, name); err != nil {
			return choice.ChosenDevice{}, err
		}
	}
	infos, err := available(s)
	if len(infos) == 0 {
		return choice.ChosenDevice{}, errors.Join(errors.New("there is no device"), err)
	}
	able, err := placesFor(infos, name, lack)
	if err != nil || len(able) == 1 {
		return choice.ChosenDevice{Name: able[0]}, err
	}
	all := make([]choice.Candidate, len(able))
	for i := range able {
		all[i] = candidate(s, able[i])
	}
	return network(s).Device(all, addressOf(s, peer)), nil
}

// placesFor are the devices of that name, or with "" all, that lack nothing. The error says why there is none, and the name stays.
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

// TellChoice notes which device was chosen among several, and why.
func TellChoice(s *core.Session, d choice.ChosenDevice) {
	if d.Why != "" {
		s.Note(timeline.LevelInfo, "device %s: %s", d.Name, d.Why)
	}
}

// candidate reads what the choice of a device needs. Of one that cannot be read only the name is known.
func candidate(s *core.Session, name string) choice.Candidate {
	read := choice.Candidate{Name: name}
	p, err := ProviderOf(s, name)
	if err != nil {
		return read
	}
	answer := make(chan choice.Candidate, 1)
	_ = s.Guard(s.Ctx, "ibv_open_device("+name+")", func() error { // whoever opens it hears why that fails
		dev, err := p.Open(name)
		if err != nil {
			return err
		}
		c := choice.Candidate{Name: name}
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

// addressOf is an address as an IP address, invalid where it is none and no name of one.
func addressOf(s *core.Session, host string) netip.Addr {
	if addr, err := netip.ParseAddr(host); err == nil || host == "" {
		return addr.Unmap()
	}
	ctx, cancel := context.WithTimeout(s.Ctx, placeLimit)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.Addr{} // the exchange tells
	}
	return found[0].Unmap()
}
