package scenarios

import (
	"fmt"
	"net/netip"
	"slices"

	"rdmatui/session/lab"
	"rdmatui/session/oob"
	"rdmatui/session/scenario"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// host is the devices on which scenarios can run.
type host struct {
	devices []hostDevice
	opened  string // the open device, "" for none
}

// hostDevice is a device with its default port, and an address at which peers reach
// it, "" for none.
type hostDevice struct {
	name, provider, address string
	port                    uint8
	whyPort                 string
	active                  bool // a port is ACTIVE
	info                    verbs.DeviceInfo
}

// readHost queries the inventory, which may be slow.
func readHost(inv screen.Inventory) (h host) {
	for _, sum := range inv.List() {
		usual := sum.UsualPort()
		d := hostDevice{
			name: sum.Name, provider: sum.Provider, port: usual.PortNum, whyPort: usual.Why, info: sum.DeviceInfo,
		}
		d.active = screen.HasActive(&sum)
		if detail, err := inv.Detail(sum.Name); err == nil {
			d.address = screen.ReachedAt(detail.Ports, d.port)
		}
		h.devices = append(h.devices, d)
	}
	return h
}

// offering puts the named devices first.
func (h host) offering(names []string) host {
	rest := func(d hostDevice) bool { return !slices.Contains(names, d.name) }
	first := slices.DeleteFunc(slices.Clone(h.devices), rest)
	offered := host{devices: append(first, slices.DeleteFunc(slices.Clone(h.devices), func(d hostDevice) bool {
		return !rest(d)
	})...)}
	if len(first) > 0 {
		offered.opened = first[0].name
	}
	return offered
}

// ableTo returns the devices that can run a scenario or an experiment. The error says
// why the first of the others cannot, nil if all can.
func (h *host) ableTo(sc *scenario.Scenario) (able host, lack error) {
	for i := range h.devices {
		err := sc.Lack(&h.devices[i].info)
		if err == nil {
			able.devices = append(able.devices, h.devices[i])
			if h.devices[i].name == h.opened {
				able.opened = h.opened
			}
		} else if lack == nil {
			lack = err
		}
	}
	return able, lack
}

// cannot returns why no device can run a scenario, nil if one can or there is none.
func (h *host) cannot(sc *scenario.Scenario) error {
	able, lack := h.ableTo(sc)
	if len(able.devices) > 0 {
		return nil
	}
	return lack
}

// device returns the named device, or the first with an ACTIVE port, or the first.
func (h *host) device(name string) hostDevice {
	for _, d := range h.devices {
		if d.name == name || name == "" && d.active {
			return d
		}
	}
	if len(h.devices) > 0 {
		return h.devices[0]
	}
	return hostDevice{}
}

// otherThan returns another device of the same provider, or the same one if there is
// no other.
func (h *host) otherThan(d hostDevice) string {
	for _, o := range h.devices {
		if o.name != d.name && o.provider == d.provider {
			return o.name
		}
	}
	return d.name
}

// choice is the settings of a scenario: its parameters, and where the other end is.
type choice struct {
	sc   *scenario.Scenario
	exp  *lab.Experiment // nil: a scenario
	p    scenario.Params
	both bool // the other end is here too

	against string // the usual other end
	touched bool   // the user has set something
}

// group is a multicast address for local use (RFC 2365).
const group = "239.1.2.3"

// newChoice has the defaults of the command line, with the other end in this program
// if the device is one of its own.
func newChoice(sc *scenario.Scenario, h *host) *choice {
	c := &choice{sc: sc, p: scenario.DefaultParams(sc.Name)}
	c.p.Server = sc.Name == "serve"
	if !sc.CM {
		c.p.Device = h.opened
	}
	d := h.device(c.p.Device)
	if c.both = d.provider == verbs.SoftProvider; !c.both {
		c.p.Server = true
	}
	if sc.Group {
		c.p.Address = group
		if a, err := netip.ParseAddr(d.address); err == nil && a.IsLoopback() {
			c.p.Bind = d.address // no route leads from there to a group
		}
	}
	return c
}

// ready returns the parameters to run with: if the other end is here too, with its
// address.
func (c *choice) ready(h *host) scenario.Params {
	p, d := c.p, h.device(c.p.Device)
	if p.Here = d.address; c.sc.Group {
		return p
	}
	if c.both && !c.sc.CM {
		p.Device = d.name // so that the other end uses another
	}
	if p.Server {
		p.Address = ""
	} else if c.both {
		p.Address = c.reached(h)
	}
	return p
}

// reached returns the address of a server in this program.
func (c *choice) reached(h *host) string {
	switch d := h.device(c.p.Device); {
	case c.p.Bind != "" && c.p.Bind != oob.AnyAddress && c.p.Server:
		return c.p.Bind
	case !c.sc.CM:
		return "127.0.0.1" // of the exchange, not of the device
	default:
		return d.address
	}
}

// theirs returns the parameters of the other end; nil if it is remote.
func (c *choice) theirs(h *host) *scenario.Params {
	if !c.both {
		return nil
	}
	p := c.p
	p.Server, p.DevicePort, p.GIDIndex, p.Address = !c.p.Server, 0, -1, c.p.Address
	switch {
	case c.sc.Group:
	case p.Server:
		p.Address, p.Bind = "", ""
	default:
		p.Address, p.Bind = c.reached(h), ""
	}
	if !c.sc.CM {
		p.Device = h.otherThan(h.device(c.p.Device))
	}
	if p.Name == "serve" {
		p.Name = "hello" // whose clients it serves
	}
	return &p
}

const (
	fieldRole    = "role"
	fieldOther   = "other end"
	fieldDevice  = "device"
	fieldAddress = "address"

	optionPort, optionGID = "ib-port", "gid-index" // of scenario.Options

	elsewhere, here = "elsewhere", "here"
	server, client  = "server", "client"
)

// fields returns the form of a choice.
func (c *choice) fields(h *host) []widget.Field {
	if c.exp != nil {
		return c.labFields(h)
	}
	role := widget.Field{
		Name: fieldRole, Value: c.p.Role(), Kind: widget.ChoiceField,
		Choices: []widget.Option{{Value: server}, {Value: client}}, Note: "waits for a client",
	}
	switch {
	case c.sc.Name == "serve":
		role.Kind, role.Note = widget.StaticField, "pairs with the clients of hello"
	case c.sc.Group && c.p.Server:
		role.Note = "receives"
	case c.sc.Group:
		role.Note = "sends"
	case !c.p.Server:
		role.Note = "connects to a server"
	}
	out := []widget.Field{role, {Name: fieldOther, Value: elsewhere, Kind: widget.ChoiceField,
		Choices: []widget.Option{{Value: elsewhere}, {Value: here}}, Note: "another program or host"}}
	if c.both {
		out[1].Value, out[1].Note = here, "in this program, in a separate session"
		out[1].Shorter = []string{"in a separate session"}
	}
	if c.sc.Group || !c.p.Server && !c.both {
		note := "of the server"
		if c.sc.Group {
			note = "of the group"
		}
		out = append(out, widget.Field{Name: fieldAddress, Value: c.p.Address, Mark: widget.Required, Note: note})
	}
	device := widget.Field{Name: fieldDevice, Value: c.p.Device, Kind: widget.ChoiceField}
	switch usual := h.device(""); {
	case c.sc.CM:
		device.Note = "whose connection manager; unset: the first"
	case c.p.Server || c.both:
		device.Note = "unset: " + usual.name
	default:
		device.Note = "unset: by the address, or " + usual.name
	}
	for _, d := range h.devices {
		device.Choices = append(device.Choices, widget.Option{Value: d.name, Help: d.address})
	}
	out = append(out, device)
	for _, o := range c.p.Options() {
		out = append(out, c.optionField(o, h))
	}
	return out
}

// optionField returns the form's line of a parameter.
func (c *choice) optionField(o *scenario.Option, h *host) widget.Field {
	f := widget.Field{Name: o.Name, Value: o.Get(&c.p), Note: o.Doc}
	switch d := h.device(c.p.Device); {
	case o.Name == optionPort && f.Value == "" && d.port != 0:
		f.Note = fmt.Sprintf("unset: %d, %s", d.port, d.whyPort)
	case o.Bool:
		f.Kind = widget.BoolField
	case o.Choices != nil:
		f.Kind = widget.ChoiceField
		for _, v := range o.Choices {
			f.Choices = append(f.Choices, widget.Option{Value: v})
		}
	}
	return f
}

// set takes a value of the form.
func (c *choice) set(name, value string) error {
	c.touched = true
	switch name {
	case fieldRole:
		c.p.Server = value == server
		return nil
	case fieldOther:
		c.both = value == here
		return nil
	case fieldDevice:
		c.p.Device = value
		return nil
	case fieldAddress:
		c.p.Address = value
		return nil
	}
	o := scenario.OptionNamed(name)
	if value == "" && !o.Chosen { // back to the default
		usual := scenario.DefaultParams(c.sc.Name)
		value = o.Get(&usual)
	}
	return o.Set(&c.p, value)
}
