package pair

import (
	"fmt"
	"strings"

	"rdmatui/devices"
	"rdmatui/session/agent"
	"rdmatui/verbs/format"
)

// checkDevice finds an end without a device that can be opened.
func checkDevice(_ *examination, e *end) Finding {
	d := e.facts.Device
	if d == nil {
		change := e.facts.Next
		if change == "" {
			change = "run 'rdmatui doctor' at " + e.Host
		}
		return wrong(e.facts.Why, change)
	}
	text := fmt.Sprintf("%s (%s, %s)", d.Name, d.Provider, d.Transport)
	if d.Driver != "" {
		text = fmt.Sprintf("%s (%s, driver %s)", d.Name, d.Transport, d.Driver)
	}
	return right(text)
}

// checkPort finds a port that carries no packets, and one whose network interface is down though the port is not.
func checkPort(x *examination, e *end) Finding {
	d := e.facts.Device
	text := fmt.Sprintf("%s port %d is %s", d.Name, d.PortNum, d.State)
	n := d.NetdevOf(e.gid)
	if n != nil {
		text += fmt.Sprintf(", %s is %s", n.Name, n.OperState)
	}
	subnet := "start a subnet manager on the fabric, such as opensm"
	infiniBand := d.LinkLayer != linkEthernet
	switch {
	case infiniBand && d.State == portActive && d.LID == 0:
		return wrong(text+", with LID 0", subnet)
	case infiniBand && d.State == portInit:
		return wrong(text+": no subnet manager has configured it", subnet)
	case infiniBand && d.State != portActive, n == nil && d.State != portActive:
		return wrong(text, "check cable and switch port of "+d.Name)
	case d.State == portActive && (n == nil || !n.IsDown() || x.there.write.good() || x.back.write.good()):
		return right(text)
	}
	return wrong(text, fmt.Sprintf("ip link set %s up (%s); if it is up, check cable and switch port", n.Name, e.name))
}

// checkObjects finds an end that cannot make what each program needs: a region and a completion queue.
func checkObjects(_ *examination, e *end) Finding {
	limit := "unlimited"
	if e.facts.Memlock != devices.Unlimited {
		limit = format.Size(e.facts.Memlock)
	}
	switch {
	case !e.made:
		return notLooked("nothing was tried")
	case e.ready != nil && strings.Contains(e.ready.Error(), "reg_mr"):
		return wrong(fmt.Sprintf("%s; RLIMIT_MEMLOCK is %s", e.ready, limit),
			fmt.Sprintf("ulimit -l unlimited at %s, for the user and in the service that runs the program", e.name))
	case e.ready != nil:
		return wrong(e.ready.Error(), "run 'rdmatui doctor' at "+e.Host)
	}
	return right(fmt.Sprintf("a region of %s and a completion queue can be made; RLIMIT_MEMLOCK is %s",
		format.Size(uint64(regionSize)), limit))
}

// checkTransport finds devices that do not speak the same protocol.
func checkTransport(x *examination) Finding {
	a, b := x.a.facts.Device, x.b.facts.Device
	if a.Transport != b.Transport {
		return wrong(fmt.Sprintf("a: %s speaks %s, b: %s speaks %s", a.Name, a.Transport, b.Name, b.Transport),
			"use devices of one kind: HOST/DEVICE names another one")
	}
	return right("both ends speak " + a.Transport)
}

// checkGID finds GID tables without two rows that fit each other.
func checkGID(x *examination) Finding {
	var texts []string
	for _, e := range x.ends() {
		if e.gid == nil {
			dev := e.facts.Device
			change := "give its network interface an IP address"
			if n := dev.NetdevOf(nil); n != nil {
				change = fmt.Sprintf("ip addr add ADDRESS/24 dev %s (%s)", n.Name, e.name)
			}
			return wrong(fmt.Sprintf("%s: %s has no GID of this network namespace", e.name, dev.Name), change)
		}
		texts = append(texts, fmt.Sprintf("%s: index %d, %s, %s", e.name, e.gid.Index, e.gid.Addr, e.gid.Type))
	}
	text := strings.Join(texts, "; ")
	if x.matched {
		return right(text)
	}
	change := "give both ends an address of the same family, IPv4 or IPv6"
	if x.a.gid.Type != x.b.gid.Type {
		change = "use RoCE v2 at both ends"
	}
	return wrong("no two GIDs have the same type and family: "+text, change)
}

// checkAddress finds the same address at both ends.
func checkAddress(x *examination) Finding {
	a, b := x.a.netdev(), x.b.netdev()
	if x.a.gid.Addr != x.b.gid.Addr || x.there.write.good() {
		return right(fmt.Sprintf("the addresses are %s and %s", x.a.gid.Addr, x.b.gid.Addr))
	}
	return wrong(fmt.Sprintf("both ends have the address %s: a on %s (%s), b on %s (%s)", x.a.gid.Addr, a.Name,
		a.Address,
		b.Name, b.Address), fmt.Sprintf("give one of them another address: ip addr replace, at %s", x.b.Host))
}

// checkPKey finds partitions that do not let the ends talk: the keys must agree but for the top bit, which one of them
// must have. IBA 10.9.1.
func checkPKey(x *examination) Finding {
	a, b := x.a.facts.Device.PKeys, x.b.facts.Device.PKeys
	if len(a) == 0 || len(b) == 0 {
		return notLooked("a P_Key table is empty")
	}
	text := fmt.Sprintf("P_Key at index 0: a 0x%04x, b 0x%04x", a[0], b[0])
	const full = 0x8000
	if (a[0]^b[0])&^full != 0 || (a[0]|b[0])&full == 0 {
		return wrong(text, "put both ports into one partition, one of them as a full member")
	}
	return right(text)
}

// netdev returns the interface of the end's GID; one without a name if it is unknown.
func (e *end) netdev() *agent.Netdev {
	if n := e.facts.Device.NetdevOf(e.gid); n != nil {
		return n
	}
	return &agent.Netdev{Name: "an unknown interface"}
}
