package device

import (
	"fmt"
	"net/netip"
	"slices"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// readsNow returns the number of stored results, for keep.
func (d *Device) readsNow(s *core.Session) int {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return d.reads
}

// keep calls store with the result of a query of ports or GIDs. before is readsNow from before the query. If another
// result has been stored since, this one may be stale: keep stores nothing and returns false, and the caller queries
// again.
func (d *Device) keep(s *core.Session, before int, store func()) bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if d.reads != before {
		return false
	}
	d.reads++
	store()
	return true
}

// The methods below are called with Session.mu held.

// Port returns what was last read of a port; the zero value for one that the
// device does not have.
func (d *Device) Port(num uint8) verbs.PortAttr {
	if num >= 1 && int(num) <= len(d.Ports) {
		return d.Ports[num-1]
	}
	return verbs.PortAttr{}
}

// UsualPort returns the port to use if a line names none: the one that open_device
// named, or the first that is ACTIVE now.
func (d *Device) UsualPort() route.ChosenPort {
	if d.onPort != 0 {
		return route.ChosenPort{PortNum: d.onPort, Why: "named at open_device"}
	}
	states := make([]verbs.PortState, len(d.Ports))
	for i := range d.Ports {
		states[i] = d.Ports[i].State
	}
	return route.Port(states)
}

// portArg returns the port that a line names, or the default one.
func portArg(c *core.Call, d *Device) uint8 {
	if !c.Cmd.Has("port_num") {
		c.Choose("port_num", fmt.Sprint(d.UsualPort().PortNum))
	}
	return uint8(c.Cmd.Uint("port_num"))
}

// Addrs returns the IP addresses that the GIDs of a port stand for, each once, if they stand for any.
func (d *Device) Addrs(s *core.Session, port uint8) (addrs []netip.Addr) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	if d.Port(port).LinkLayer != verbs.LinkEthernet {
		return nil
	}
	for _, e := range d.GIDs.Rows {
		addr := e.GID.Addr()
		if e.GID.IsLinkLocal() {
			addr = addr.WithZone(e.Netdev)
		}
		if e.PortNum == port && !slices.Contains(addrs, addr) && !e.GID.IsZero() {
			addrs = append(addrs, addr)
		}
	}
	return addrs
}

// NeedsGRH reports whether every path from the port must have a GRH.
func (d *Device) NeedsGRH(port uint8) bool {
	p := d.Port(port)
	return p.LinkLayer == verbs.LinkEthernet || p.Flags&verbs.PortGRHRequired != 0 ||
		p.LinkLayer == verbs.LinkUnspecified && p.LID == 0 // EFA has no LIDs, and does not report its link layer
}

// CheckPort warns of a port that is down.
func CheckPort(c *core.Call, d *Device, num uint8) {
	p, usual := d.Port(num), d.UsualPort()
	if int(num) > len(d.Ports) || num == 0 {
		c.Warn("the device has no port %d", num)
		return
	}
	if p.State == verbs.PortActive {
		return
	}
	if err := d.why[num-1]; err != nil {
		c.Warn("port %d is unreadable: %s", num, core.Wording(err))
		return
	}
	text := fmt.Sprintf("port %d is %s: it carries no packets", num, p.State)
	if d.Port(usual.PortNum).State == verbs.PortActive {
		text += fmt.Sprintf("; port %d is ACTIVE", usual.PortNum)
	}
	c.Warn("%s", text)
}

// CheckPath checks an address vector against the GID table. Session.mu is held.
func CheckPath(c *core.Call, d *Device, ah *verbs.AHAttr) {
	if !ah.IsGlobal {
		if d.NeedsGRH(ah.PortNum) {
			c.Warn("is_global is 0, but every path of this port needs a GRH")
		}
		checkLID(c, d, ah)
		return
	}
	e, ok := d.gidAt(ah.PortNum, int(ah.GRH.SGIDIndex))
	switch {
	case !ok:
		c.Warn("sgid_index %d: that row of the GID table of port %d is not in use", ah.GRH.SGIDIndex, ah.PortNum)
	case e.GID.IsIPv4() != ah.GRH.DGID.IsIPv4() && e.Type == verbs.GIDTypeRoCEv2:
		c.Warn("sgid_index %d is %s and dgid %s: IPv4 and IPv6 do not mix", ah.GRH.SGIDIndex, e.GID, ah.GRH.DGID)
	}
	if ah.GRH.DGID.IsZero() {
		c.Warn("dgid is zero")
	}
	if other, ok := d.GIDs.Network.OnOtherPort(d.GIDs.Rows, ah.PortNum, ah.GRH.DGID); ok {
		c.Warn("%s, which is on port %d: the path is on port %d", other.Why, other.PortNum, ah.PortNum)
	}
	checkLID(c, d, ah)
}

// checkLID warns of a path without a destination LID on a port with LIDs.
func checkLID(c *core.Call, d *Device, ah *verbs.AHAttr) {
	if d.Port(ah.PortNum).LinkLayer == verbs.LinkInfiniBand && ah.DLID == 0 {
		c.Warn("dlid is 0: InfiniBand addresses a peer by its LID")
	}
}
