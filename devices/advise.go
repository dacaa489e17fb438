package devices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rdmatui/verbs"
)

// maxHostAddresses bounds the addresses of a host that are looked at.
const maxHostAddresses = 16

// Advice says which device, port, GID and source address programs of this host should use towards another host. It
// follows from this host's routing table and devices alone: nothing is sent, so the other host may be down.
type Advice struct {
	Host     string     `json:"host"`
	Address  netip.Addr `json:"address"` // of the host; invalid if it has none or no route leads to it
	Source   netip.Addr `json:"source"`  // of packets to the address, by the routing table
	Netdev   string     `json:"netdev,omitempty"`
	Device   string     `json:"device,omitempty"` // "": the route leaves by no RDMA device
	Port     uint8      `json:"port,omitempty"`
	GIDIndex *int       `json:"gid_index,omitempty"` // nil on InfiniBand and iWARP, which need none
	Findings []Finding  `json:"findings"`
	Settings []Setting  `json:"settings"`
}

// Setting is how a program or library is told to use a device.
type Setting struct {
	Program string `json:"program"` // "NCCL"
	Set     string `json:"set"`     // "NCCL_IB_HCA==mlx5_0:1 …": environment variables, or a command line
}

// Resolver answers what [Inventory.Advise] asks of the network.
type Resolver struct {
	Addresses func(ctx context.Context, host string) ([]netip.Addr, error)
	// Source returns the source address of packets to dst by the routing table.
	Source func(dst netip.Addr) (netip.Addr, error)
}

// exit is a device and port from which packets with a source address leave.
type exit struct {
	device *Detail
	port   *Port
	netdev string
	row    *GID // nil on InfiniBand and iWARP
}

// Advise finds out how programs should reach a host: by its name or address, through the device that the routing table
// leads to. A problem is a finding, not an error.
func (inv *Inventory) Advise(ctx context.Context, host string, ask Resolver) Advice {
	a := Advice{Host: host, Findings: []Finding{}, Settings: []Setting{}}
	addrs := a.resolve(ctx, host, ask)
	all := inv.readable(ctx)
	var exits []exit
	for _, addr := range addrs {
		source, err := ask.Source(addr)
		if err != nil {
			a.add("route", Finding{Status: Warn,
				Looked:  "no route to " + addr.String() + ": " + cutText(rootCause(err)),
				Meaning: "packets to this address cannot leave", Next: "ip route get " + addr.String()})
			continue
		}
		if found := exitsOf(all, source, addr.Zone()); len(found) > 0 {
			a.Address, a.Source, exits = addr, source, found
			break
		}
		if !a.Address.IsValid() {
			a.Address, a.Source = addr, source
		}
	}
	if !a.Address.IsValid() {
		a.failRoutes(all, addrs)
		return a
	}
	if len(exits) == 0 {
		a.besides(inv, all)
		return a
	}
	a.through(inv, exits)
	return a
}

// resolve returns the addresses of the host.
func (a *Advice) resolve(ctx context.Context, host string, ask Resolver) []netip.Addr {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}
	}
	addrs, err := ask.Addresses(ctx, host)
	if err != nil || len(addrs) == 0 {
		if err == nil {
			err = errors.New("it has none")
		}
		a.add("name", Finding{Status: Fail,
			Looked:  "addresses of " + cutText(host) + ": " + cutText(rootCause(err)),
			Meaning: "no packet can be sent without an address",
			Next:    "give an IP address of the host's RDMA interface"})
		return nil
	}
	addrs = addrs[:min(len(addrs), maxHostAddresses)]
	var text []string
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
		text = append(text, addrs[i].String())
	}
	a.add("name", Finding{Status: OK, Looked: cutText(host) + ": " + listed(text), Meaning: "the host's addresses"})
	return addrs
}

func (a *Advice) add(check string, f Finding) {
	f.Check = check
	a.Findings = append(a.Findings, f)
}

// failRoutes makes the lack of any route what it is: the reason why there is no advice. An interface that is down has
// no routes, but keeps its addresses.
func (a *Advice) failRoutes(all []*Detail, addrs []netip.Addr) {
	for i := range a.Findings {
		if f := &a.Findings[i]; f.Check == "route" {
			f.Status = Fail
			if down := downTowards(all, addrs); down != nil {
				f.Looked += fmt.Sprintf("; %s is %s", down.Name, down.OperState)
				f.Next = "ip link set " + shellWord(down.Name) + " up: it has an address in the host's subnet"
			}
		}
	}
}

// downTowards returns an interface that is not up and has an address in the subnet of one of addrs; nil if none.
func downTowards(all []*Detail, addrs []netip.Addr) *Netdev {
	for _, d := range all {
		for i, n := range d.Netdevs {
			if n.OperState != "down" {
				continue
			}
			for _, p := range n.Addresses {
				if slices.ContainsFunc(addrs, func(a netip.Addr) bool { return p.Masked().Contains(a.WithZone("")) }) {
					return &d.Netdevs[i]
				}
			}
		}
	}
	return nil
}

// rootCause is an error without the calls that wrap it, which repeat the address.
func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// readable reads all devices that can be opened.
func (inv *Inventory) readable(ctx context.Context) []*Detail {
	var all []*Detail
	for _, st := range inv.Providers() {
		for _, info := range st.Devices {
			if ctx.Err() != nil {
				return all
			}
			if d, err := inv.Detail(info.Name); err == nil {
				all = append(all, &d)
			}
		}
	}
	return all
}

// exitsOf returns the devices from which packets with this source address leave: those with a GID made from it, and
// those that connect by the IP address of their netdev. RoCE v1 comes last, since no router forwards it. A zone names
// the netdev of a link-local address.
func exitsOf(all []*Detail, source netip.Addr, zone string) (exits []exit) {
	for _, d := range all {
		for i := range d.Ports {
			p := &d.Ports[i]
			for r := range p.GIDs {
				g := &p.GIDs[r]
				if g.GID.Addr() == source && g.Type != verbs.GIDTypeIB && (zone == "" || g.Netdev == zone) {
					exits = append(exits, exit{d, p, cmp.Or(g.Netdev, d.netdevWith(source)), g})
				}
			}
			if netdev := d.netdevWith(source); netdev != "" && byAddress(d, p) && (zone == "" || netdev == zone) {
				exits = append(exits, exit{d, p, netdev, nil})
			}
		}
	}
	slices.SortStableFunc(exits, func(x, y exit) int { return x.rank() - y.rank() })
	return exits
}

// rank orders the exits: the lowest is the best.
func (e exit) rank() int {
	rank := 0
	if e.port.State != verbs.PortActive {
		rank += 4
	}
	if e.row == nil && e.device.ConnectsByAddress() {
		rank++ // iWARP, where RoCE is there too
	}
	if e.row != nil && e.row.Type == verbs.GIDTypeRoCEv1 {
		rank += 2
	}
	return rank
}

// byAddress reports whether the port's connections are made from its netdev's IP address: iWARP, IP over InfiniBand.
func byAddress(d *Detail, p *Port) bool {
	return d.ConnectsByAddress() || p.LinkLayer == verbs.LinkInfiniBand
}

func (d *Detail) netdevWith(addr netip.Addr) string {
	for _, n := range d.Netdevs {
		if slices.ContainsFunc(n.Addresses, func(p netip.Prefix) bool { return p.Addr().WithZone("") == addr }) {
			return n.Name
		}
	}
	return ""
}

// besides tells that the route leaves by an interface without RDMA, and in which subnets this host has RDMA devices.
func (a *Advice) besides(inv *Inventory, all []*Detail) {
	a.Netdev = inv.netdevWith(a.Source)
	from := "from " + a.Source.String()
	if a.Netdev != "" {
		from += " by " + a.Netdev
	}
	f := Finding{Status: Fail, Looked: fmt.Sprintf("packets to %s leave %s", a.Address, from),
		Meaning: "no RDMA device has this address: programs that find the device by the route fail (rdma_cm: ENODEV)"}
	host := slices.ContainsFunc(all, func(d *Detail) bool { return d.Provider != verbs.SoftProvider })
	subnets := subnetsOf(all)
	switch {
	case !host:
		f.Next = "rdmatui doctor says why this host has no RDMA device; rdmatui --soft " + a.Source.String() +
			" gives the software device this address"
	case len(subnets) > 0:
		f.Next = "use the host's address in " + listed(subnets) + ", or route the one given through such an interface"
	default:
		f.Next = "give the interface of an RDMA device an address that no other host has, in the other host's subnet"
	}
	a.add("device", f)
}

// subnetsOf lists the subnets in which devices have addresses: "10.9.0.0/24 (rxe0 on d0)".
func subnetsOf(all []*Detail) (subnets []string) {
	for _, d := range all {
		for _, n := range d.Netdevs {
			for _, p := range n.Addresses {
				if !p.Addr().IsLinkLocalUnicast() && !p.Addr().IsLoopback() {
					subnets = append(subnets, fmt.Sprintf("%s (%s on %s)", p.Masked(), d.Name, n.Name))
				}
			}
		}
	}
	return subnets
}

// netdevWith returns the interface that has an address; "" if none has.
func (inv *Inventory) netdevWith(addr netip.Addr) string {
	names, _ := inv.os.ReadDir(netDir)
	for _, name := range names {
		index, err := strconv.Atoi(attribute(inv.os, netDir+"/"+name+"/ifindex"))
		if err != nil || index <= 0 {
			continue
		}
		addrs, _ := inv.os.Addresses(index)
		if slices.ContainsFunc(addrs, func(p netip.Prefix) bool { return p.Addr().WithZone("") == addr }) {
			return cutText(name)
		}
	}
	return ""
}

// through fills in the advice to use the first exit.
func (a *Advice) through(inv *Inventory, exits []exit) {
	e := exits[0]
	a.Netdev, a.Device, a.Port = e.netdev, e.device.Name, e.port.PortNum
	a.add("route", Finding{Status: OK, Looked: fmt.Sprintf("packets to %s leave from %s", a.Address, a.Source),
		Meaning: a.hop(e)})
	if e.row != nil {
		a.GIDIndex = &e.row.Index
		a.add("gid", e.gidFinding(a.Address))
	}
	var others []string
	for _, o := range exits[1:] {
		if name := o.device.Name; name != a.Device && !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		a.add("device", Finding{Status: OK, Looked: "also on this address: " + listed(others),
			Meaning: a.Device + " comes first: its port is ACTIVE, and RoCE v2 before iWARP and RoCE v1"})
	}
	summary := PortSummary{PortNum: e.port.PortNum, State: e.port.State, LinkLayer: e.port.LinkLayer, Netdev: e.netdev}
	a.add("port", portFinding(inv.os, &Summary{DeviceInfo: e.device.DeviceInfo}, &summary))
	if !e.device.ConnectsByAddress() {
		a.add("mtu", mtuFinding(inv.os, e.device.Name, summary, &e.port.PortAttr))
	}
	a.Settings = e.settings(a)
}

// hop says whether the host is in the subnet of the source address.
func (a *Advice) hop(e exit) string {
	for _, n := range e.device.Netdevs {
		for _, p := range n.Addresses {
			switch {
			case p.Addr().WithZone("") != a.Source:
			case p.Masked().Contains(a.Address.WithZone("")):
				return fmt.Sprintf("the host is in %s, the subnet of %s", p.Masked(), n.Name)
			default:
				return fmt.Sprintf("the host is outside %s, the subnet of %s: packets go through a router",
					p.Masked(), n.Name)
			}
		}
	}
	return e.device.Name + " has this address"
}

func (e exit) gidFinding(to netip.Addr) Finding {
	f := Finding{Status: OK, Looked: fmt.Sprintf("%s port %d, GID index %d: %s, %s", e.device.Name, e.port.PortNum,
		e.row.Index, e.row.GID, e.row.Type), Meaning: "this row holds the source address"}
	if e.row.Type == verbs.GIDTypeRoCEv1 {
		f.Status = Warn
		f.Meaning = "the address is in the table as RoCE v1 only: no router forwards it, and a peer on RoCE v2 drops it"
		f.Next = "enable RoCE v2 if the device has it; else use RoCE v1 at both ends, in one Ethernet segment"
	}
	return f
}

// settings says how the programs of the field are told to use the exit. Each environment variable is one of the
// program's own documentation.
func (e exit) settings(a *Advice) []Setting {
	device, host := shellWord(e.device.Name), shellWord(a.Address.String())
	ours := Setting{"rdmatui", fmt.Sprintf("rdmatui scenario rc-pingpong -d %s %s", device, host)}
	if e.device.Provider == verbs.SoftProvider {
		return []Setting{ours} // the device lives in rdmatui: no other program of this host can open it
	}
	port := fmt.Sprintf("%s:%d", device, a.Port)
	named := func(name string) string { // "" in a container that does not see the interface
		if e.netdev == "" {
			return ""
		}
		return " " + name + shellWord(e.netdev)
	}
	manager := Setting{"librdmacm", fmt.Sprintf("rping -c -I %s -a %s", a.Source, host)}
	libfabric := Setting{"libfabric", "FI_PROVIDER=verbs" + named("FI_VERBS_IFACE=")}
	if e.device.ConnectsByAddress() { // NCCL and UCX have no iWARP
		ours.Set = fmt.Sprintf("rdmatui scenario rping -d %s %s", device, host)
		return []Setting{manager, libfabric, {"perftest", fmt.Sprintf("ib_write_bw -R -d %s %s", device, host)}, ours}
	}
	index := func(name string) string {
		if a.GIDIndex == nil {
			return ""
		}
		return " " + name + strconv.Itoa(*a.GIDIndex)
	}
	return []Setting{
		{"NCCL", "NCCL_IB_HCA==" + port + index("NCCL_IB_GID_INDEX=") + named("NCCL_SOCKET_IFNAME==")},
		{"UCX", "UCX_NET_DEVICES=" + port + index("UCX_IB_GID_INDEX=")},
		libfabric,
		{"Open MPI", "mpirun --mca pml ucx -x UCX_NET_DEVICES=" + port +
			strings.Replace(index("UCX_IB_GID_INDEX="), " ", " -x ", 1)},
		{"Intel MPI", "I_MPI_OFI_PROVIDER=verbs" + named("FI_VERBS_IFACE=")},
		{"perftest", fmt.Sprintf("ib_write_bw -d %s -i %d%s %s", device, a.Port, index("-x "), host)},
		manager, ours,
	}
}

// Wrong returns the first finding that failed; nil if there is none.
func (a *Advice) Wrong() *Finding {
	for i := range a.Findings {
		if a.Findings[i].Status == Fail {
			return &a.Findings[i]
		}
	}
	return nil
}

// String returns the advice in a sentence.
func (a *Advice) String() string {
	if a.Device == "" {
		return "no RDMA device of this host leads to " + a.Host
	}
	gid := ""
	if a.GIDIndex != nil {
		gid = fmt.Sprintf(", GID index %d", *a.GIDIndex)
	}
	on := ""
	if a.Netdev != "" {
		on = " on " + a.Netdev
	}
	return fmt.Sprintf("use %s, port %d%s, source address %s%s", a.Device, a.Port, gid, a.Source, on)
}
