package agent

import (
	"context"
	"net/netip"
	"os"
	"slices"

	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/route"
)

// Facts is what an end knows of itself. Texts of enums are those of --json.
type Facts struct {
	Hostname string   `json:"hostname"`
	Memlock  uint64   `json:"memlock"`          // RLIMIT_MEMLOCK in bytes; devices.Unlimited
	Devices  []string `json:"devices"`          // that the providers list, the host's first
	Why      string   `json:"why,omitempty"`    // why there is no device to use
	Next     string   `json:"next,omitempty"`   // what to do about it
	Device   *Device  `json:"device,omitempty"` // the device to use; nil: none
}

// Device is a device with the port to use.
type Device struct {
	Name      string `json:"name"`
	Provider  string `json:"provider"`
	Transport string `json:"transport"`
	Driver    string `json:"driver,omitempty"`
	FWVer     string `json:"fw_ver,omitempty"`
	PortNum   int    `json:"port_num"`
	State     string `json:"state"`
	LinkLayer string `json:"link_layer"`
	ActiveMTU int    `json:"active_mtu"` // bytes
	LID       int    `json:"lid"`
	SMLID     int    `json:"sm_lid"`
	// PKeys are the partition keys of the port, without free rows.
	PKeys   []uint16 `json:"pkeys"`
	GIDs    []GID    `json:"gids"`
	Netdevs []Netdev `json:"netdevs"`
}

// GID is a used row of the port's GID table.
type GID struct {
	Index  int        `json:"index"`
	Addr   netip.Addr `json:"gid"` // IPv4 for an IPv4-mapped GID
	Type   string     `json:"type"`
	Netdev string     `json:"netdev"`
	Here   bool       `json:"here"`  // belongs to this network namespace
	Usual  bool       `json:"usual"` // the row to use if no peer is known
}

// Netdev is a network interface of the device.
type Netdev struct {
	Name      string         `json:"name"`
	MTU       int            `json:"mtu"`
	OperState string         `json:"operstate"`
	Address   string         `json:"address"` // link-layer
	Addresses []netip.Prefix `json:"addresses"`
}

// IsDown reports whether the interface carries no packets: it was set down, or has no carrier.
func (n *Netdev) IsDown() bool { return n.OperState == "down" || n.OperState == "lowerlayerdown" }

// facts looks at the host and at the device to use.
func (v *server) facts(ctx context.Context, _ noParams) (Facts, error) {
	f := Facts{Devices: []string{}}
	f.Hostname, _ = os.Hostname() // "" if unknown
	if soft, _, err := v.opts.Host.Memlock(); err == nil {
		f.Memlock = soft
	} else {
		f.Memlock = devices.Unlimited
	}
	name := v.opts.Device
	for _, s := range v.inv.List() {
		f.Devices = append(f.Devices, s.Name)
	}
	if name == "" {
		name = v.usualDevice()
	}
	if name == "" {
		f.Why, f.Next = v.whyNone(ctx)
		return f, nil
	}
	d, err := v.inv.Detail(name)
	if err != nil {
		f.Why = format.OneLine(err)
		return f, nil
	}
	f.Device = deviceOf(&d)
	return f, nil
}

// usualDevice picks the first device with an ACTIVE port, or else the first. Software devices count only where there is
// no other provider: a host that lacks its device must not look well because rdmatui brings its own.
func (v *server) usualDevice() string {
	var all []route.Candidate
	for _, s := range v.inv.List() {
		if s.Provider == verbs.SoftProvider && len(v.opts.Providers) > 1 {
			continue
		}
		c := route.Candidate{Name: s.Name}
		for _, p := range s.Ports {
			c.Ports = append(c.Ports, p.State)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return ""
	}
	return route.Network{}.Device(all, netip.Addr{}).Name
}

// whyNone says why there is no device, and what to do, as the doctor does.
func (v *server) whyNone(ctx context.Context) (why, next string) {
	for _, f := range v.inv.Diagnose(ctx, "") {
		if f.Status == devices.Fail {
			return f.Looked + ": " + f.Meaning, f.Next
		}
	}
	return "no RDMA device", ""
}

// deviceOf takes from a device what concerns its usual port.
func deviceOf(d *devices.Detail) *Device {
	out := &Device{Name: d.Name, Provider: d.Provider, Driver: d.Driver, FWVer: d.DeviceAttr.FWVer,
		PKeys: []uint16{}, GIDs: []GID{}, Netdevs: []Netdev{}}
	for _, n := range d.Netdevs {
		out.Netdevs = append(out.Netdevs, Netdev{n.Name, n.MTU, n.OperState, n.Address, n.Addresses})
	}
	usual := d.UsualPort().PortNum
	at := slices.IndexFunc(d.Ports, func(p devices.Port) bool { return p.PortNum == usual })
	if at < 0 {
		return out
	}
	p := &d.Ports[at]
	out.Transport = d.TransportOver(p.LinkLayer)
	out.PortNum, out.State, out.LinkLayer = int(p.PortNum), p.State.String(), p.LinkLayer.String()
	out.ActiveMTU, out.LID, out.SMLID = p.ActiveMTU.Bytes(), int(p.LID), int(p.SMLID)
	for _, k := range p.PKeys {
		if k != 0 {
			out.PKeys = append(out.PKeys, k)
		}
	}
	for i, e := range p.GIDTable() {
		out.GIDs = append(out.GIDs, GID{Index: e.Index, Addr: e.GID.Addr(), Type: e.Type.String(),
			Netdev: p.GIDs[i].Netdev, Here: route.Host.Here(e), Usual: p.Usual.GIDEntry == e})
	}
	return out
}

// NetdevOf returns the interface of a GID, or with nil, or if the GID has none, the device's first; nil if it has none.
func (d *Device) NetdevOf(g *GID) *Netdev {
	if len(d.Netdevs) == 0 {
		return nil
	}
	if g != nil {
		for i := range d.Netdevs {
			if d.Netdevs[i].Name == g.Netdev {
				return &d.Netdevs[i]
			}
		}
	}
	return &d.Netdevs[0]
}
