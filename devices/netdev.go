package devices

import (
	"cmp"
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strconv"

	"rdmatui/verbs"
	"rdmatui/verbs/choice"
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
	Address   string         `json:"address"`   // of the link layer
	Addresses []netip.Prefix `json:"addresses"` // IP
}

// joinNetdevs describes the netdevs of a device. dir is "" for one that sysfs
// does not know, whose GIDs may still lie on real netdevs.
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
	network := choice.Network{Here: gidsHere(sys)}
	for i := range d.Ports {
		p := &d.Ports[i]
		p.Usual, _ = network.GID(p.GIDTable(), p.PortNum, verbs.GID{}) // it stays zero
	}
}

// netdevNames collects the netdevs behind the GIDs. Where the tables are empty
// the parent that a software link was made on is named, and on InfiniBand the
// IP interfaces of the same function.
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

// busNetdevs lists the netdevs of the function that a device is on.
func busNetdevs(sys OS, dir string) []string {
	names, _ := sys.ReadDir(dir + "/device/net")
	return names
}

func readNetdev(sys OS, name string) (Netdev, error) {
	dir := path.Join(netDir, name)
	nd := Netdev{Name: name, Addresses: []netip.Prefix{}, OperState: attribute(sys, dir+"/operstate"), Address: attribute(sys, dir+"/address")}
	nd.MTU, _ = strconv.Atoi(attribute(sys, dir+"/mtu"))
	index, err := strconv.Atoi(attribute(sys, dir+"/ifindex"))
	if err != nil {
		// A device can be visible in a network namespace that its netdev is not in.
		return nd, fmt.Errorf("not in this network namespace: there is no %s", dir)
	}
	nd.Index = index
	addrs, err := sys.Addresses(index)
	nd.Addresses = append(nd.Addresses, addrs[:min(len(addrs), maxAddresses)]...)
	return nd, err
}

// portNetdev returns the netdev behind a port's first GID that is of this network
// namespace, or else of any; where the table is empty, the one that a software link
// was made on.
func portNetdev(sys OS, dir string, port uint8) string {
	if first := gidNetdev(sys, dir, port, 0); first != "" {
		return cmp.Or(netdevHere(sys, dir, port, first), first)
	}
	if name := attribute(sys, dir+"/parent"); name != "" {
		return name
	}
	return busNetdev(sys, dir, port)
}

// busNetdev returns the netdev of a device's function that belongs to a port: the only
// one where there is one port, or the one whose dev_port says so, which counts from 0.
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

// netdevHere is first, the netdev of row 0, or that of the first row whose netdev is of
// this network namespace.
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

// gidsHere returns what tells whether a row of a GID table is of this network namespace:
// the kernel shows those of all. A link-local GID may be made of the hardware address
// where the netdev has another one, so that the netdev counts.
func gidsHere(sys OS) func(verbs.GIDEntry) bool {
	local := map[netip.Addr]bool{}
	names, _ := sys.ReadDir(netDir)
	for _, name := range names {
		nd, _ := readNetdev(sys, name)
		for _, p := range nd.Addresses {
			local[p.Addr()] = true
		}
	}
	return func(e verbs.GIDEntry) bool {
		if e.GID.IsLinkLocal() || e.Type == verbs.GIDTypeIB {
			return e.Netdev == "" || isHere(sys, e.Netdev)
		}
		return len(local) == 0 || local[e.GID.Addr()] // without any address nothing is known
	}
}

func gidNetdev(sys OS, dir string, port uint8, index int) string {
	return attribute(sys, portDir(dir, port)+"/gid_attrs/ndevs/"+strconv.Itoa(index))
}

// fillGIDNetdevs asks sysfs for the netdevs that the provider did not name: for
// used rows only, as each is a file and tables have hundreds of rows.
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
