package devices

import (
	"fmt"
	"strconv"

	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// checkPorts looks for ports that are not ACTIVE.
func checkPorts(e *examination) []Finding {
	var found []Finding
	for _, info := range e.kernelDevices() {
		dir := deviceDir(info.Name)
		nums, _ := e.os.ReadDir(dir + "/ports")
		s := Summary{DeviceInfo: info, Ports: sysfsPorts(e.os, dir, nums)}
		for i := range s.Ports {
			found = append(found, portFinding(e.os, &s, &s.Ports[i]))
		}
	}
	return found
}

func portFinding(sys OS, d *Summary, p *PortSummary) Finding {
	looked, meaning := fmt.Sprintf("%s port %d: %s", d.Name, p.PortNum, p.State), ""
	if p.LinkLayer == verbs.LinkInfiniBand {
		dir := portDir(deviceDir(d.Name), p.PortNum)
		looked += fmt.Sprintf(", LID %s, SM LID %s", lidOf(sys, dir+"/lid"), lidOf(sys, dir+"/sm_lid"))
	}
	if usual := d.UsualPort(); len(d.Ports) > 1 && usual.PortNum == p.PortNum {
		meaning = "; default port: " + usual.Why
	} else if len(d.Ports) > 1 {
		meaning = fmt.Sprintf("; default port: %d", usual.PortNum)
	}
	if p.State == verbs.PortActive {
		return Finding{Status: OK, Looked: looked, Meaning: "the port carries packets" + meaning}
	}
	f := Finding{
		Status: Warn, Looked: looked,
		Meaning: "the port carries no packets: queue pairs reach RTS but their requests time out" + meaning,
	}
	switch {
	case p.LinkLayer == verbs.LinkInfiniBand:
		f.Next = "check the cable; a port that stays in INIT needs a subnet manager: start opensm"
	case p.Netdev != "":
		f.Looked += fmt.Sprintf("; %s: %s", p.Netdev, attribute(sys, netDir+"/"+p.Netdev+"/operstate"))
		f.Next = "ip link set " + shellWord(p.Netdev) + " up; if it is up, check the cable and the peer's port"
		if !isHere(sys, p.Netdev) {
			f.Next = "the interface is in another network namespace: set it up there; check cable and peer's port"
		}
	default:
		f.Next = "check the cable and the peer's port"
	}
	return f
}

// getAddress says how a port gets a GID. It names no address, since any could be another host's, and an interface only
// if it is in this network namespace.
func getAddress(sys OS, netdev string) string {
	switch {
	case netdev == "":
		return "give the port's network interface an IP address; in a container, run rdmatui where the interface is"
	case !isHere(sys, netdev):
		return "run rdmatui in the network namespace of " + shellWord(netdev) + ", or move that interface here"
	case attribute(sys, netDir+"/"+netdev+"/operstate") == "down":
		return "ip link set " + shellWord(netdev) + " up, then give it an IP address that no other host has"
	}
	return "give " + shellWord(netdev) + " an IP address that no other host has (ip addr add)"
}

// lidOf formats a LID that sysfs gives as "0x4"; "–" if there is none.
func lidOf(sys OS, file string) string {
	n, err := strconv.ParseUint(attribute(sys, file), 0, 16)
	if err != nil {
		return "–"
	}
	return strconv.FormatUint(n, 10)
}

// checkGIDs opens each of the kernel's devices and looks at its GID tables: without a
// usable GID no RoCE connection is possible.
func checkGIDs(e *examination) []Finding {
	var found []Finding
	for _, info := range e.kernelDevices() {
		if info.ConnectsByAddress() {
			found = append(found, Finding{Status: OK, Looked: info.Name + ": " + info.NodeType + ", " + info.Transport,
				Meaning: "it connects by IP address, through the connection manager only; packets carry no GID"})
			continue
		}
		found = append(found, e.gidFindings(info.Name)...)
	}
	return found
}

func (e *examination) gidFindings(name string) []Finding {
	dev, err := e.inv.Open(name)
	if err != nil {
		return []Finding{{Status: Fail, Looked: cutText(err.Error()),
			Meaning: "the device is listed but cannot be opened", Next: "see the checks char_devices and memlock"}}
	}
	defer dev.Close()
	table, err := dev.QueryGIDTable()
	if err != nil {
		return []Finding{{Status: Fail, Looked: cutText(err.Error()), Meaning: "the GID table cannot be read",
			Next: "read the kernel log: dmesg"}}
	}
	dir := deviceDir(name)
	nums, _ := e.os.ReadDir(dir + "/ports")
	var found []Finding
	for _, p := range sysfsPorts(e.os, dir, nums) {
		found = append(found, gidFinding(e.os, name, p, portGIDs(table, p.PortNum)))
	}
	return found
}

func gidFinding(sys OS, device string, p PortSummary, rows []GID) Finding {
	looked := fmt.Sprintf("%s port %d: %s", device, p.PortNum, counted(len(rows), "GID", "GIDs"))
	port := Port{GIDs: rows}
	port.PortNum, port.LinkLayer = p.PortNum, p.LinkLayer
	fillGIDNetdevs(sys, deviceDir(device), &port)
	foreign := 0
	here := gidsHere(sys)
	for _, e := range port.GIDTable() {
		if !here(e) {
			foreign++
		}
	}
	best, err := route.Network{Here: here}.GID(port.GIDTable(), p.PortNum, verbs.GID{})
	switch {
	case err != nil && p.LinkLayer == verbs.LinkInfiniBand:
		return Finding{
			Status: Warn, Looked: looked, Meaning: "the port has no GID: the connection manager cannot use it",
			Next: "read the kernel log: dmesg",
		}
	case err != nil && len(rows) == 0:
		return Finding{Status: Warn, Looked: looked,
			Meaning: "the GID table is empty: the port has no address to send from", Next: getAddress(sys, p.Netdev)}
	case err != nil:
		return Finding{Status: Warn, Looked: looked, Meaning: "no GID is chosen automatically: all are RoCE v1",
			Next: "give sgid_index yourself; or " + getAddress(sys, p.Netdev)}
	case !here(best.GIDEntry):
		return Finding{Status: Warn, Looked: looked,
			Meaning: "all GIDs belong to other network namespaces: this one has no address to send from",
			Next:    getAddress(sys, p.Netdev)}
	case best.GID.IsLinkLocal() && p.LinkLayer != verbs.LinkInfiniBand:
		return Finding{Status: Warn, Looked: fmt.Sprintf("%s, best %d: %s", looked, best.Index, best.GID),
			Meaning: "all GIDs are link-local: peers behind a router and IPv4 peers cannot be reached",
			Next:    getAddress(sys, p.Netdev)}
	}
	meaning := "the port has a GID to connect with"
	if foreign > 0 {
		meaning += "; " + counted(foreign, "GID belongs", "GIDs belong") + " to other network namespaces"
	}
	return Finding{
		Status: OK, Looked: fmt.Sprintf("%s, best %d: %s %s", looked, best.Index, best.GID, best.Type),
		Meaning: meaning,
	}
}
