package devices

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"path"
	"slices"
	"strconv"

	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// netDir is where the kernel lists netdevs.
const netDir = "/sys/class/net"

// maxAddresses bounds the addresses of one netdev.
const maxAddresses = 256

// Netdev is a network interface that carries a device's packets.
type Netdev struct {
	Name      string         `json:"name"`
	Index     int            `json:"ifindex"`
	MTU       int            `json:"mtu"`       // bytes of one IP packet; RoCE needs some of them for its headers
	OperState string         `json:"operstate"` // "up", "down", "unknown" …; RFC 2863
	Address   string         `json:"address"`   // link-layer address
	Addresses []netip.Prefix `json:"addresses"` // IP addresses
}

// joinNetdevs describes the netdevs of a device. dir is "" for a device that sysfs does
// not know; its GIDs may still belong to real netdevs.
func (d *Detail) joinNetdevs(sys OS, dir string) {
	if dir != "" {
		for i := range d.Ports {
			fillGIDNetdevs(sys, dir, &d.Ports[i])
		}
	}
	for _, name := range d.netdevNames(sys, dir) {
		nd, err := readNetdev(sys, name)
		if err != nil {
			d.problem("netdev "+name, err)
		}
		d.Netdevs = append(d.Netdevs, nd)
	}
	network := route.Network{Here: gidsHere(sys)}
	for i := range d.Ports {
		p := &d.Ports[i]
		p.Usual, _ = network.GID(p.GIDTable(), p.PortNum, verbs.GID{}) // zero if none is usable
	}
}

// netdevNames collects the netdevs of the GIDs. If the tables are empty it returns the
// netdev that a software link was created on, or on InfiniBand the IP interfaces of the
// same PCI function.
func (d *Detail) netdevNames(sys OS, dir string) []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if plainName(name) && !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	for _, p := range d.Ports {
		for _, g := range p.GIDs {
			add(g.Netdev)
		}
	}
	if dir == "" {
		return names
	}
	add(attribute(sys, dir+"/parent"))
	if len(names) > 0 {
		return names
	}
	for _, name := range busNetdevs(sys, dir) {
		if dev, err := sys.DeviceForNetdev(name); err == nil && dev == d.Name {
			add(name)
		}
	}
	return names
}

// busNetdevs lists the netdevs of a device's PCI function.
func busNetdevs(sys OS, dir string) []string {
	names, _ := sys.ReadDir(dir + "/device/net")
	return names
}

func readNetdev(sys OS, name string) (Netdev, error) {
	dir := path.Join(netDir, name)
	nd := Netdev{
		Name: name, Addresses: []netip.Prefix{},
		OperState: attribute(sys, dir+"/operstate"), Address: attribute(sys, dir+"/address"),
	}
	nd.MTU, _ = strconv.Atoi(attribute(sys, dir+"/mtu"))
	index, err := strconv.Atoi(attribute(sys, dir+"/ifindex"))
	if err != nil {
		// A device can be visible in a network namespace that its netdev is not in.
		return nd, fmt.Errorf("not in this network namespace: %s does not exist", dir)
	}
	nd.Index = index
	addrs, err := sys.Addresses(index)
	nd.Addresses = append(nd.Addresses, addrs[:min(len(addrs), maxAddresses)]...)
	return nd, err
}

// portNetdev returns the netdev of a port's first GID in this network namespace, or else
// of its first GID; if the table is empty, the netdev that a software link was created
// on, or that of the port's PCI function.
func portNetdev(sys OS, dir string, port uint8) string {
	if first := gidNetdev(sys, dir, port, 0); first != "" {
		return cmp.Or(netdevHere(sys, dir, port, first), first)
	}
	if name := attribute(sys, dir+"/parent"); name != "" {
		return name
	}
	return busNetdev(sys, dir, port)
}

// busNetdev returns the netdev of a device's PCI function that belongs to a port: the
// only one if there is one port, otherwise the one with its dev_port, which counts from 0.
func busNetdev(sys OS, dir string, port uint8) string {
	names := busNetdevs(sys, dir)
	ports, _ := sys.ReadDir(dir + "/ports")
	if len(ports) == 1 && len(names) == 1 {
		return names[0]
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return attribute(sys, path.Join(netDir, name, "dev_port")) != strconv.Itoa(int(port)-1)
	})
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// netdevHere returns first, the netdev of row 0, or the first netdev in the table that
// is in this network namespace; "" if none is.
func netdevHere(sys OS, dir string, port uint8, first string) string {
	if isHere(sys, first) {
		return first
	}
	rows, _ := sys.ReadDir(portDir(dir, port) + "/gid_attrs/ndevs")
	indices := make([]int, 0, len(rows))
	for _, row := range rows {
		if i, err := strconv.Atoi(row); err == nil {
			indices = append(indices, i)
		}
	}
	slices.Sort(indices)
	for _, i := range indices {
		if name := gidNetdev(sys, dir, port, i); isHere(sys, name) {
			return name
		}
	}
	return ""
}

func isHere(sys OS, netdev string) bool {
	return plainName(netdev) && attribute(sys, path.Join(netDir, netdev, "ifindex")) != ""
}

// gidsHere returns a function that reports whether a row of a GID table belongs to this
// network namespace: the kernel shows the rows of all. For a link-local GID the netdev
// decides, since the netdev's own link-local address may be a different one. A row without
// a netdev's name, as a container sees those of the host, is here if an interface here has
// the address or could derive it. Where addresses cannot be read, a row is taken as one of here.
func gidsHere(sys OS) func(verbs.GIDEntry) bool {
	local := map[netip.Addr]bool{}
	addrs, unknown := sys.Addresses(0)
	for _, p := range addrs {
		local[p.Addr()] = true
	}
	return func(e verbs.GIDEntry) bool {
		switch {
		case e.Type == verbs.GIDTypeIB && e.Netdev == "":
			return true // InfiniBand has no netdevs
		case (e.GID.IsLinkLocal() || e.Type == verbs.GIDTypeIB) && e.Netdev != "":
			return isHere(sys, e.Netdev)
		case e.GID.IsLinkLocal():
			return unknown != nil || local[e.GID.Addr()] || derivedHere(sys, e.GID)
		}
		return unknown != nil || local[e.GID.Addr()]
	}
}

// derivedHere reports whether a netdev in this network namespace has the link-layer address that a link-local GID is
// made from: the kernel makes the GID as RFC 4291, appendix A, makes an interface identifier.
func derivedHere(sys OS, gid verbs.GID) bool {
	names, _ := sys.ReadDir(netDir)
	return slices.ContainsFunc(names, func(name string) bool {
		mac, err := net.ParseMAC(attribute(sys, path.Join(netDir, name, "address")))
		return err == nil && len(mac) == 6 &&
			[8]byte(gid[8:]) == [8]byte{mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]}
	})
}

func gidNetdev(sys OS, dir string, port uint8, index int) string {
	return attribute(sys, portDir(dir, port)+"/gid_attrs/ndevs/"+strconv.Itoa(index))
}

// fillGIDNetdevs reads the netdevs that the provider did not name from sysfs. It reads
// used rows only: each is a file, and tables have hundreds of rows.
func fillGIDNetdevs(sys OS, dir string, p *Port) {
	if p.LinkLayer == verbs.LinkInfiniBand {
		return
	}
	for i := range p.GIDs {
		if g := &p.GIDs[i]; g.Netdev == "" {
			g.Netdev = gidNetdev(sys, dir, p.PortNum, g.Index)
		}
	}
}
