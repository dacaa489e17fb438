package home

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/ui/screen"
	devscreen "rdmatui/ui/screen/devices"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/route"
)

// device is what Home shows of one device.
type device struct {
	devices.Summary
	gid     route.ChosenGID // of the default port; zero if there is none
	problem string          // why it could not be read
}

// maxDetailed bounds the devices whose GID is read, because each has to be opened.
const maxDetailed = 16

// here is what has been read from the host.
type here struct {
	devices  []device
	findings []devices.Finding
}

// readDevices lists the devices, off the event loop.
func readDevices(env *screen.Env) []device {
	list := []device{}
	for i, sum := range env.Inventory.List() {
		d := device{Summary: sum, problem: sum.Err}
		if i < maxDetailed {
			d.readGID(env.Inventory)
		}
		list = append(list, d)
	}
	return list
}

func (d *device) readGID(inv screen.Inventory) {
	detail, err := inv.Detail(d.Name)
	if err != nil {
		d.problem = cmp.Or(d.problem, err.Error())
		return
	}
	usual := detail.UsualPort().PortNum
	for i := range detail.Ports {
		if p := &detail.Ports[i]; p.PortNum == usual {
			d.gid = p.Usual
		}
	}
}

// values are the devices and the findings.
func (h *here) values() screen.Values {
	v := screen.Values{}
	for i := range h.devices {
		v[h.devices[i].Name] = fmt.Sprintf("%#v", h.devices[i])
	}
	for _, f := range h.findings {
		v[f.Check] += fmt.Sprint(f.Status, f.Meaning)
	}
	return v
}

// nameWidth is the column of the state, after the device names.
const nameWidth = 10

// items returns the devices, two lines each, and the finding that blocks the host's own.
func (h *here) items(s *Screen, w int) (out []item) {
	for i := range h.devices {
		d := &h.devices[i]
		it := item{
			lines: [][]span{d.state(s.th, s.opened[d.Name]), d.address(s.th)},
			name:  d.Name, does: "show the device",
			open: func() tea.Cmd { return screen.Send(screen.GotoMsg{To: screen.Devices, Item: d.Name}) },
		}
		if !d.gid.GID.IsZero() {
			it.addr = d.gid.GID.Addr().String()
		}
		out = append(out, it)
	}
	works := slices.ContainsFunc(h.devices, func(d device) bool { return screen.HasActive(&d.Summary) })
	return append(out, blocked(s.th, h.findings, w, works)...)
}

// providers are the words for the providers' devices; others use the provider's name.
var providers = map[string]string{verbs.SoftProvider: "software device"}

// state is the first line: the kind of device, and the state of its port.
func (d *device) state(th *theme.Theme, opened bool) []span {
	out := []span{{d.Name, &th.Accent, 0}, {cmp.Or(providers[d.Provider], d.Provider), &th.Dim, nameWidth}}
	add := func(text string, style *theme.Style) {
		out = append(out, span{" " + th.Glyphs.Sep + " ", &th.Dim, 0}, span{text, style, 0})
	}
	if p := d.port(); p != nil {
		st := &th.OK
		if p.State != verbs.PortActive {
			st = &th.Warn
		}
		add(fmt.Sprintf("port %d %s", p.PortNum, p.State), st)
		if p.Rate > 0 {
			add(fmt.Sprintf("%g Gb/s", p.Rate), &th.Value)
		}
		if p.Netdev != "" {
			add(p.Netdev, &th.Value)
		}
	}
	if n := len(d.Ports); n > 1 {
		add(format.Count(uint64(n))+" ports", &th.Dim)
	}
	if opened {
		add("open", &th.Info)
	}
	return out
}

// port returns the default port, nil if there is none.
func (d *device) port() *devices.PortSummary {
	usual := d.UsualPort().PortNum
	i := slices.IndexFunc(d.Ports, func(p devices.PortSummary) bool { return p.PortNum == usual })
	if i < 0 {
		return nil
	}
	return &d.Ports[i]
}

var gidTypes = map[verbs.GIDType]string{
	verbs.GIDTypeIB: "InfiniBand", verbs.GIDTypeRoCEv1: "RoCE v1", verbs.GIDTypeRoCEv2: "RoCE v2",
}

// address is the second line: the address for peers, or why the device cannot be read.
func (d *device) address(th *theme.Theme) []span {
	switch g := &d.gid; {
	case d.problem != "":
		return []span{{strings.Join(strings.Fields(d.problem), " "), &th.Err, nameWidth}}
	case g.GID.IsZero():
		return []span{{"no GID: give its netdev an address", &th.Warn, nameWidth}}
	default:
		return []span{{gidTypes[g.Type] + " ", &th.Dim, nameWidth}, {fmt.Sprintf("GID %d ", g.Index), &th.Dim, 0},
			{g.GID.Addr().String(), &th.Value, 0}}
	}
}

// blocked returns what blocks the host's own devices: the first finding with its remedy, or one line while another
// device works. Many hosts have no device of their own; nothing is wrong with those.
func blocked(th *theme.Theme, findings []devices.Finding, w int, works bool) []item {
	at := slices.IndexFunc(findings, func(f devices.Finding) bool { return f.Status == devices.Fail })
	if at < 0 {
		return nil
	}
	worst := &findings[at]
	it := item{name: devscreen.Doctor, does: "show the findings",
		open: func() tea.Cmd { return screen.Send(screen.GotoMsg{To: screen.Devices, Item: devscreen.Doctor}) }}
	it.lines = append(it.lines, []span{{"", &th.Dim, 0}})
	if works {
		it.lines = append(it.lines, []span{{th.Glyphs.Hollow + " doctor: " + devices.Verdict(findings), &th.Dim, 0}})
		return []item{it}
	}
	add := func(mark, text string, style *theme.Style) {
		for _, l := range widget.Wrap(nil, line.Escape(text), max(w-5, 20)) {
			it.lines = append(it.lines, []span{{mark + " ", style, 0}, {l, style, 0}})
			mark = " "
		}
	}
	add(th.Glyphs.Ban, worst.Meaning, &th.Err)
	if worst.Next != "" {
		add(th.Glyphs.Right, worst.Next, &th.Key)
	}
	return []item{it}
}
