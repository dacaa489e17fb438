package devices

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCandidates bounds the netdevs suggested for a Soft-RoCE link.
const maxCandidates = 5

// candidate is a netdev that can carry a Soft-RoCE link.
type candidate struct {
	name     string
	up       bool
	physical bool
}

// checkSoftRoCE says how to get a device without a card.
func checkSoftRoCE(e *examination) []Finding {
	if !e.linux() {
		return nil
	}
	if names := e.rxeDevices(); len(names) > 0 {
		return []Finding{{Status: OK, Looked: "Soft-RoCE links: " + listed(names),
			Meaning: "RDMA works here without a card"}}
	}
	if len(e.class) > 0 {
		return nil
	}
	cands := softRoCECandidates(e.os)
	if len(cands) == 0 {
		return []Finding{{Status: Warn, Looked: netDir + ": no Ethernet netdev",
			Meaning: "a Soft-RoCE link needs an Ethernet netdev",
			Next:    "use a software device, such as soft0, or run rdmatui where an Ethernet interface is"}}
	}
	prefix := ""
	if !e.modules.has("rdma_rxe") {
		have, dir := e.modules.available("rdma_rxe")
		if have == notAvailable || e.modules.fixed {
			return []Finding{{Status: Warn, Looked: dir + ": no rdma_rxe", Meaning: "this kernel has no Soft-RoCE",
				Next: "use a software device, such as soft0, or a kernel with the module: see the check modules"}}
		}
		prefix = e.modules.load("rdma_rxe") + "; then "
		if have == available {
			prefix = e.modules.load("rdma_rxe") + " && "
		}
	}
	meaning := "root can create a Soft-RoCE link on it"
	if e.exclusive {
		meaning += "; the link is visible only in the host's initial network namespace"
	}
	var found []Finding
	for _, c := range cands {
		f := Finding{Status: Warn, Looked: netDir + "/" + c.name + ": Ethernet, up", Meaning: meaning,
			Next: fmt.Sprintf("%srdma link add rxe0 type rxe netdev %s", prefix, shellWord(c.name))}
		if !c.up {
			f.Looked = netDir + "/" + c.name + ": Ethernet, down"
			f.Next = "ip link set " + shellWord(c.name) + " up && " + f.Next
		}
		found = append(found, f)
	}
	return found
}

// rxeDevices lists the kernel's devices that were created on a netdev.
func (e *examination) rxeDevices() []string {
	var names []string
	for _, name := range e.class {
		if attribute(e.os, deviceDir(name)+"/parent") != "" {
			names = append(names, name)
		}
	}
	return names
}

// softRoCECandidates lists Ethernet netdevs without an RDMA device, the best first:
// those that are up, then those of real cards.
func softRoCECandidates(sys OS) []candidate {
	const ethernet = "1" // ARPHRD_ETHER
	names, _ := sys.ReadDir(netDir)
	var cands []candidate
	for _, name := range names {
		dir := netDir + "/" + name
		// rxe refuses VLANs: the link belongs on the netdev below.
		if attribute(sys, dir+"/type") != ethernet || isVLAN(sys, dir) {
			continue
		}
		if dev, err := sys.DeviceForNetdev(name); err == nil && dev != "" {
			continue
		}
		cands = append(cands, candidate{name, attribute(sys, dir+"/operstate") == "up", exists(sys, dir+"/device")})
	}
	slices.SortStableFunc(cands, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.name, b.name))
	})
	return cands[:min(len(cands), maxCandidates)]
}

func rank(c candidate) int {
	r := 0
	if !c.up {
		r += 2
	}
	if !c.physical {
		r++
	}
	return r
}

func isVLAN(sys OS, dir string) bool {
	b, _ := sys.ReadFile(dir+"/uevent", 4096)
	return strings.Contains(string(b), "DEVTYPE=vlan\n")
}

// roceUDPPort is the port of RoCEv2; annex A17.
const roceUDPPort = 4791

// checkRoCEPort reports whether software devices can bind RoCEv2's UDP port. Each binds
// it on one address; the kernel's Soft-RoCE binds it on all.
func checkRoCEPort(e *examination) []Finding {
	const looked = "/proc/net/udp, /proc/net/udp6: port 4791"
	single, all := 0, 0
	read := false
	for _, file := range []string{"/proc/net/udp", "/proc/net/udp6"} {
		b, err := e.os.ReadFile(file, 1<<20)
		read = read || err == nil
		s, a := boundSockets(string(b), roceUDPPort)
		single, all = single+s, all+a
	}
	switch {
	case !read:
		return nil
	case all > 0 && (len(e.rxeDevices()) > 0 || e.modules.has("rdma_rxe")):
		return []Finding{{Status: OK, Looked: looked + " held by the kernel's Soft-RoCE",
			Meaning: "rxe owns the port; in this network namespace software devices use their in-memory link",
			Next:    "to use both over UDP, run the software device in another network namespace: ip netns add soft"}}
	case all > 0:
		return []Finding{{Status: Warn, Looked: looked + " in use on all addresses",
			Meaning: "another program owns RoCEv2's port: rxe cannot start, and software devices use their in-memory link",
			Next:    "run ss -ulnp 'sport = :4791' to find the program"}}
	case single > 0:
		return []Finding{
			{Status: OK, Looked: looked + " in use on " + counted(single, "local address", "local addresses"),
				Meaning: "software devices of this program and others send and receive RoCEv2 over UDP there"}}
	}
	return []Finding{{Status: OK, Looked: looked + " free",
		Meaning: "a software device can send and receive RoCEv2 over UDP"}}
}

// boundSockets counts the sockets of a /proc/net/udp table on a local port: those bound
// to a single address, and those bound to all.
func boundSockets(table string, port uint16) (single, all int) {
	want := fmt.Sprintf("%04X", port)
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		if _, err := strconv.Atoi(strings.TrimSuffix(fields[0], ":")); err != nil {
			continue // the heading
		}
		addr, local, ok := strings.Cut(fields[1], ":")
		switch {
		case !ok || local != want:
		case strings.Trim(addr, "0") == "":
			all++
		default:
			single++
		}
	}
	return single, all
}
