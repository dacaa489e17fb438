package pair

import (
	"fmt"
	"net/netip"
	"slices"

	"rdmatui/session/agent"
	"rdmatui/verbs/format"
)

// reverse returns the other direction.
func (x *examination) reverse(d *direction) *direction {
	if d == x.there {
		return x.back
	}
	return x.there
}

// carries reports whether RoCE packets were seen to arrive in a direction.
func (x *examination) carries(d *direction) bool { return d.write.arrived || x.reverse(d).write.good() }

// checkRoute finds an end without a route to the other's address, or with one through another interface.
func checkRoute(x *examination, d *direction) Finding {
	from, to := d.from, d.to
	switch {
	case !x.overIP():
		return notLooked("the packets are not routed by IP")
	case d.noRoute != nil:
		return notLooked(d.noRoute.Error())
	case refusals[d.route.Errno] != "":
		kind := refusals[d.route.Errno]
		return wrong(fmt.Sprintf("%s has a route of type %s to %s (%s)", from.name, kind, to.gid.Addr, d.route.Errno),
			fmt.Sprintf("ip route del %s, with the subnet that 'ip route show type %s' prints (%s)", kind, kind,
				from.name))
	case d.route.Errno != "":
		return noRoute(d)
	}
	via := ""
	if d.route.Gateway.IsValid() {
		via = " via " + d.route.Gateway.String()
	}
	text := fmt.Sprintf("%s → %s leaves through %s%s", from.gid.Addr, to.gid.Addr, d.route.Netdev, via)
	switch {
	case x.carries(d):
		return right(text)
	case d.route.Local && !sameHost(x):
		return wrong(fmt.Sprintf("%s itself has %s's address %s", from.name, to.name, to.gid.Addr),
			fmt.Sprintf("ip addr del %s dev INTERFACE (%s), or give %s another address", to.gid.Addr, from.name,
				to.name))
	case !d.route.Local && from.gid.Netdev != "" && d.route.Netdev != from.gid.Netdev:
		return wrong(fmt.Sprintf("%s, but the GID %s belongs to %s", text, from.gid.Addr, from.gid.Netdev),
			fmt.Sprintf("ip route add %s dev %s src %s (%s)", host(to.gid.Addr), from.gid.Netdev, from.gid.Addr,
				from.name))
	}
	return right(text)
}

// refusals are the types of routes that refuse packets, by the errno of a look-up: ip-route(8).
var refusals = map[string]string{"EINVAL": "blackhole", "EHOSTUNREACH": "unreachable", "EACCES": "prohibit"}

// sameHost reports whether both ends may be one host: the names of hosts are not unique, so an address must tell.
func sameHost(x *examination) bool {
	return x.a.facts.Hostname == x.b.facts.Hostname && x.a.netdev().Address == x.b.netdev().Address &&
		x.a.netdev().Name == x.b.netdev().Name
}

// noRoute tells whether the ends lie in different subnets.
func noRoute(d *direction) Finding {
	from, to := d.from, d.to
	text := fmt.Sprintf("%s has no route to %s (%s)", from.name, to.gid.Addr, d.route.Errno)
	change := fmt.Sprintf("ip route add %s dev %s (%s)", host(to.gid.Addr), from.netdev().Name, from.name)
	mine, theirs := prefixOf(from), prefixOf(to)
	if !mine.IsValid() || !theirs.IsValid() || mine.Masked() == theirs.Masked() {
		return wrong(text, change)
	}
	return wrong(fmt.Sprintf("%s: %s is in %s, %s in %s", text, from.name, mine.Masked(), to.name, theirs.Masked()),
		"give both ends addresses of one subnet, or "+change+", and the same the other way")
}

// prefixOf returns the address of an end with the length of its subnet.
func prefixOf(e *end) netip.Prefix {
	all := e.netdev().Addresses
	i := slices.IndexFunc(all, func(p netip.Prefix) bool { return p.Addr() == e.gid.Addr })
	if i < 0 {
		return netip.Prefix{}
	}
	return all[i]
}

// host returns an address as a subnet of one host.
func host(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

// checkNeighbour finds a next hop that does not answer, or another host that answers for the address.
func checkNeighbour(x *examination, d *direction) Finding {
	hop, theirs := d.hop, d.to.netdev()
	direct := !d.route.Gateway.IsValid()
	next := d.to.gid.Addr.String()
	if !direct {
		next = d.route.Gateway.String()
	}
	text := fmt.Sprintf("at %s %s is at %s (%s)", d.from.name, next, hop.HopMAC, hop.HopState)
	switch {
	case !x.overIP() || d.noRoute != nil:
		return notLooked("the routing table could not be read")
	case d.route.Local:
		return right(next + " is an address of the same host")
	case x.carries(d) && hop.HopMAC != "":
		return right(text)
	case x.carries(d):
		return right(next + " was reached")
	case hop.HopState == "failed" || hop.HopState == "incomplete":
		return wrong(fmt.Sprintf("%s gets no answer from %s on %s to the question for its link-layer address (ARP)",
			d.from.name,
			next, d.route.Netdev),
			fmt.Sprintf("check that %s is up and answers ARP at %s, and the cable, VLAN and switch between %s and it",
				theirs.Name, d.to.name, d.route.Netdev))
	case hop.HopMAC == "":
		return notLooked("the neighbour table has no entry for " + next)
	case direct && theirs.Address != "" && hop.HopMAC != theirs.Address:
		return wrong(fmt.Sprintf("%s, but %s of %s has %s: another host has the address, too", text, theirs.Name,
			d.to.name,
			theirs.Address), fmt.Sprintf("take %s from the host with %s, then: ip neigh flush dev %s (%s)", next,
			hop.HopMAC,
			d.route.Netdev, d.from.name))
	}
	return right(text)
}

// checkMTU finds ports whose packets differ in length: a program that takes path_mtu from its own port then loses
// packets.
func checkMTU(x *examination) Finding {
	a, b := x.a.facts.Device, x.b.facts.Device
	text := fmt.Sprintf("active_mtu is %d at a and %d at b", a.ActiveMTU, b.ActiveMTU)
	small, large := x.a, x.b
	if a.ActiveMTU > b.ActiveMTU {
		small, large = x.b, x.a
	}
	for _, e := range x.ends() {
		if n := e.facts.Device.NetdevOf(e.gid); n != nil {
			text += fmt.Sprintf("; %s of %s has MTU %d", n.Name, e.name, n.MTU)
		}
	}
	if a.ActiveMTU == b.ActiveMTU {
		return right(text)
	}
	change := fmt.Sprintf("path_mtu=%d at both ends", small.facts.Device.ActiveMTU)
	if n := small.facts.Device.NetdevOf(small.gid); n != nil {
		change = fmt.Sprintf("ip link set %s mtu %d (%s), if its network allows that; else %s", n.Name,
			large.netdev().MTU,
			small.name, change)
	}
	return wrong(text, change)
}

// checkPathMTU finds a network that loses long packets though the ends could send them.
func checkPathMTU(x *examination, d *direction) Finding {
	size := x.smallMTU() + roceHeaders
	length := size + ipHeaders(d.from.gid)
	text := fmt.Sprintf("IP packets of %s bytes, for path_mtu %d,", format.Count(uint64(length)), x.smallMTU())
	g := &d.datagram
	switch {
	case len(d.sizes) > 0 && d.sizes[len(d.sizes)-1].good():
		return right(text + " pass")
	case !x.overIP():
		return notLooked("the packets do not go over IP")
	case g.why != nil:
		return notLooked(g.why.Error())
	case g.arrived[size]:
		return right(text + " pass")
	case !g.arrived[smallDatagram]:
		return notLooked("short datagrams do not arrive either, or a firewall drops other ports than 4791")
	}
	for _, s := range g.sent {
		if s.Size == size && s.Errno != "" {
			text += " (" + s.Errno + ")"
		}
	}
	return wrong(fmt.Sprintf("%s do not reach %s; short ones do", text, d.to.name),
		fmt.Sprintf("raise the MTU of the switches and routers between %s and %s, or lower that of both interfaces",
			d.from.netdev().Name, d.to.netdev().Name))
}

// ipHeaders is the length of the headers before a datagram's payload, in bytes.
func ipHeaders(g *agent.GID) int {
	if g.Addr.Is4() {
		return 20 + 8
	}
	return 40 + 8
}

// checkRoCEPort finds what keeps RoCE packets from a host that other packets reach.
func checkRoCEPort(x *examination, d *direction) Finding {
	at := fmt.Sprintf("%s at %s", d.to.gid.Addr, d.to.name)
	rev := x.reverse(d)
	switch {
	case !x.overIP():
		return notLooked("the packets do not go over IP")
	case x.carries(d):
		return right("RoCE packets reach " + at)
	case d.datagram.refused == "ECONNREFUSED":
		return wrong(fmt.Sprintf("%s refuses UDP port 4791: no RoCE device receives there, or a firewall rejects it",
			at),
			fmt.Sprintf("allow UDP port 4791 in the firewall of %s, or use the device that has this address",
				d.to.name))
	case d.datagram.refused != "":
		return wrong(fmt.Sprintf("a datagram from %s to UDP port 4791 of %s fails: %s", d.from.name, at,
			d.datagram.refused),
			fmt.Sprintf("allow UDP port 4791 in the firewalls of %s and %s", d.from.name, d.to.name))
	case !d.write.tried || d.write.good():
		return notLooked("no RoCE packet was sent")
	case rev.write.arrived, !d.write.arrived && d.datagram.arrived[smallDatagram]:
		return lostRoCE(d, at)
	}
	return notLooked("nothing shows which packets are lost")
}

// lostRoCE is the finding for RoCE packets that vanish on a path that carries other datagrams, or none.
func lostRoCE(d *direction, at string) Finding {
	text := fmt.Sprintf("RoCE packets (UDP port 4791) from %s do not reach %s", d.from.name, at)
	if d.datagram.arrived[smallDatagram] {
		text += "; datagrams to another port do"
	}
	return wrong(text,
		fmt.Sprintf("allow UDP port 4791 from %s in the firewall of %s and of the network between; see 'nft list ruleset'",
			d.from.gid.Addr, d.to.name))
}
