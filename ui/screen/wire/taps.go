package wire

import (
	"slices"

	"rdmatui/session"
	"rdmatui/session/packets"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// taps is one line for each device: what its link or its network interface has seen,
// and the faults injected on it.
type taps struct {
	th     *theme.Theme
	known  []string // software devices
	list   []packets.Tap
	faults map[string]verbs.Faults // of open devices
	others []string                // open devices whose packets cannot be recorded, with their network interfaces
	lines  []string                // about others, wrapped to the width
	on     bool
	h      int
	traced *traced // a capture, about which the lines are instead; nil: none
}

// take takes a frame's state.
func (t *taps) take(list []packets.Tap, snap *session.Snapshot) {
	t.list = slices.DeleteFunc(slices.Clone(list), func(v packets.Tap) bool { return v.Problem != "" })
	t.faults, t.others = map[string]verbs.Faults{}, t.others[:0]
	for i := range snap.Devices {
		d := &snap.Devices[i]
		name := d.Info.Name // the connection manager opens a device once more, under another name
		if t.isSoft(name) {
			if f, known := t.faults[name]; !known || !f.Active() {
				t.faults[name] = d.Faults
			}
			continue
		}
		if text := untapped(d, list); text != "" && !slices.Contains(t.others, text) {
			t.others = append(t.others, text)
		}
	}
}

// untapped says why the packets of a device other than a software device do not show,
// "" if they do.
func untapped(d *session.DeviceView, list []packets.Tap) string {
	name := d.Info.Name
	i := slices.IndexFunc(list, func(v packets.Tap) bool { return v.Device == name })
	switch {
	case i >= 0 && list[i].On && list[i].Sent+list[i].Received > 0:
		return ""
	case i >= 0 && list[i].On:
		return name + ": no RoCE packet on " + list[i].Netdev +
			" so far; rxe sends none there to its own host, and a NIC may keep them from the kernel"
	case i >= 0 && list[i].Problem != "":
		return name + ": " + list[i].Problem
	}
	return name + ": not captured here; " + sniffers(d)
}

func (t *taps) isSoft(name string) bool {
	return slices.Contains(t.known, name)
}

// sniffers says how to see the packets of a NIC: those that it hands to the kernel pass
// its network interface, and libpcap opens some NICs by their own names.
func sniffers(d *session.DeviceView) string {
	netdev := "its netdev"
	for _, g := range d.GIDs {
		if g.Netdev != "" {
			netdev = g.Netdev
		}
	}
	return "capture " + d.Info.Name + " on reads " + netdev + "; for what the NIC keeps from the kernel: tcpdump -i " +
		d.Info.Name + " -U -w - | rdmatui wire -, or ibdump"
}

// rowsWanted returns the height that shows everything at a width.
func (t *taps) rowsWanted(w int) int {
	if t.traced != nil {
		return 2
	}
	return max(len(t.list)+len(t.othersIn(w)), 1)
}

// othersIn returns the text about the other devices, wrapped to a width.
func (t *taps) othersIn(w int) (out []string) {
	for _, l := range t.others {
		out = widget.Fill(out, line.Escape(l), max(w-2, 10))
	}
	return out
}

// SetSize implements widget.Block.
func (t *taps) SetSize(w, h int) { t.h, t.lines = h, t.othersIn(w) }

// DrawLine implements widget.Block.
func (t *taps) DrawLine(b *line.Buf, y int) {
	b.Space(1)
	switch {
	case t.traced != nil:
		t.traced.drawTotals(b, y, t.h)
	case t.h == 1 && len(t.others) > 0:
		b.Text(t.others[0], t.th.Warn)
	case t.h == 1 && len(t.list) > 1:
		t.drawAll(b)
	case y < len(t.list):
		t.drawTap(b, &t.list[y])
	case y-len(t.list) < len(t.lines):
		b.Text(t.lines[y-len(t.list)], t.th.Warn)
	case y == 0:
		b.Text(t.emptyText(), t.th.Dim)
	}
}

// Below implements widget.Scroller. A single row is a summary.
func (t *taps) Below() int {
	if t.h == 1 || t.traced != nil {
		return 0
	}
	return max(len(t.list)+len(t.lines)-t.h, 0)
}

func (t *taps) emptyText() string {
	if t.on {
		return "no software device: only its packets can be captured here"
	}
	return "the tap is off: t switches it on"
}

// drawAll puts all devices on one line, if there is no more room.
func (t *taps) drawAll(b *line.Buf) {
	th := t.th
	for i := range t.list {
		v := &t.list[i]
		b.Text(v.Device, th.Value)
		for _, n := range [...]struct {
			way string
			of  uint64
		}{{th.Glyphs.Right, v.Sent}, {th.Glyphs.Left, v.Received}} {
			b.Space(1)
			b.Text(n.way, th.Dim)
			eventline.Count(b, n.of, th.Value)
		}
		if f := t.faults[v.Device]; f.Active() {
			b.Space(1)
			b.Text(f.String(), th.Warn)
		}
		if v.Capture != "" {
			b.Text(" capture", th.Info)
		}
		b.Space(3)
	}
}

// drawTap shows a device; where the line is short, what is least important is left out.
func (t *taps) drawTap(b *line.Buf, v *packets.Tap) {
	th := t.th
	b.Cell(v.Device, max(6, min(len(v.Device), 16)), line.Left, th.Value)
	b.Space(2)
	var parts []line.Piece
	add := func(drop int, draw func(b *line.Buf)) {
		parts = append(parts, line.Piece{Gap: 2, Drop: drop, Draw: draw})
	}
	say := func(drop int, text string, st theme.Style) { add(drop, func(b *line.Buf) { b.Text(text, st) }) }
	count := func(drop int, n uint64, st theme.Style, what string, label theme.Style) {
		add(drop, func(b *line.Buf) {
			eventline.Count(b, n, st)
			b.Space(1)
			b.Text(what, label)
		})
	}
	count(2, v.Sent, th.Value, "sent", th.Dim)
	count(2, v.Received, th.Value, "received", th.Dim)
	if v.Missed > 0 {
		count(1, v.Missed, th.Warn, "counted, not kept", th.Warn)
	}
	if !v.On {
		say(1, "tap off", th.Dim)
	}
	if f, open := t.faults[v.Device]; v.Netdev != "" {
		say(1, "on "+v.Netdev, th.Dim)
	} else if !open {
		say(1, "not open", th.Dim)
	} else if f.Active() {
		add(0, func(b *line.Buf) {
			b.Text("faults ", th.Label)
			b.Text(f.String(), th.Warn)
		})
	} else {
		say(4, "no faults", th.Dim)
	}
	if v.Capture != "" {
		add(1, func(b *line.Buf) {
			b.Text("capture: ", th.Label)
			b.Text(v.Capture, th.Info)
		})
	}
	for i := range v.Counters { // Devices has them all
		if c := &v.Counters[i]; c.Value > 0 && !ordinary[c.Name] {
			add(3, func(b *line.Buf) {
				b.Text(c.Name, th.Label)
				b.Space(1)
				eventline.Count(b, c.Value, th.Value)
			})
		}
	}
	b.Pieces(parts...)
}

// ordinary are counters that add nothing here: those that repeat the tap's counts,
// the completions, or another counter.
var ordinary = map[string]bool{
	"sent_pkts": true, "rcvd_pkts": true, "rdma_sends": true, "rdma_recvs": true, "completer_retry_err": true,
}
