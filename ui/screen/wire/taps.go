package wire

import (
	"rdmatui/session"
	"rdmatui/session/packets"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
	"rdmatui/verbs"
)

// taps is one line for each device: what its link has seen, and what is done to
// it on purpose.
type taps struct {
	th     *theme.Theme
	known  []string // software devices
	list   []packets.Tap
	faults map[string]verbs.Faults // of those that are open
	others []string                // open devices whose packets are not to be seen, with their network interfaces
	lines  []string                // of others, as wide as the window
	on     bool
	h      int
}

// take looks at a frame's state and reports whether something changed.
func (t *taps) take(list []packets.Tap, snap *session.Snapshot) {
	t.list = list
	t.faults, t.others = map[string]verbs.Faults{}, t.others[:0]
	for i := range snap.Devices {
		d := &snap.Devices[i]
		if t.isSoft(d.Name) {
			t.faults[d.Name] = d.Faults
			continue
		}
		t.others = append(t.others, d.Name+": not captured here; "+sniffers(d))
	}
}

func (t *taps) isSoft(name string) bool {
	for _, k := range t.known {
		if k == name {
			return true
		}
	}
	return false
}

// sniffers says what shows the packets of a device that is no software device of
// ours: libpcap reads a NIC by its own name, of rxe by that of its network
// interface.
func sniffers(d *session.DeviceView) string {
	netdev := "its netdev"
	for _, g := range d.GIDs {
		if g.Netdev != "" {
			netdev = g.Netdev
		}
	}
	return "use tcpdump -i " + d.Name + " (NIC), -i " + netdev + " (rxe) or ibdump"
}

// rowsWanted is the height in which a width shows all.
func (t *taps) rowsWanted(w int) int { return max(len(t.list)+len(t.othersIn(w)), 1) }

// othersIn is what is said of the other devices, broken to a width.
func (t *taps) othersIn(w int) (out []string) {
	for _, l := range t.others {
		out = pager.Fill(out, line.Escape(l), max(w-2, 10))
	}
	return out
}

// SetSize implements widget.Block.
func (t *taps) SetSize(w, h int) { t.h, t.lines = h, t.othersIn(w) }

// DrawLine implements widget.Block.
func (t *taps) DrawLine(b *line.Buf, y int) {
	b.Space(1)
	switch {
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

func (t *taps) emptyText() string {
	if t.on {
		return "no software device: only its packets can be captured here"
	}
	return "the tap is off: t switches it on"
}

// drawAll puts all devices on one line, where there is no more room.
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

func (t *taps) drawTap(b *line.Buf, v *packets.Tap) {
	th := t.th
	b.Cell(v.Device, max(6, min(len(v.Device), 16)), line.Left, th.Value)
	for _, n := range [...]struct {
		name string
		of   uint64
	}{{"sent", v.Sent}, {"received", v.Received}} {
		b.Space(2)
		eventline.Count(b, n.of, th.Value)
		b.Space(1)
		b.Text(n.name, th.Dim)
	}
	if v.Missed > 0 {
		b.Space(2)
		eventline.Count(b, v.Missed, th.Warn)
		b.Text(" counted, not kept", th.Warn)
	}
	if !v.On {
		b.Text("  tap off", th.Dim)
	}
	if f, open := t.faults[v.Device]; !open {
		b.Text("  not open", th.Dim)
	} else if f.Active() {
		b.Text("  faults ", th.Label)
		b.Text(f.String(), th.Warn)
	} else {
		b.Text("  no faults", th.Dim)
	}
	if v.Capture != "" {
		b.Text("  capture: ", th.Label)
		b.Text(v.Capture, th.Info)
	}
	var counters []line.Piece
	for i := range v.Counters {
		if c := &v.Counters[i]; c.Value > 0 && !ordinary[c.Name] {
			counters = append(counters, line.Piece{Gap: 2, Drop: 1, Draw: func(b *line.Buf) {
				b.Text(c.Name, th.Label)
				b.Space(1)
				eventline.Count(b, c.Value, th.Value)
			}})
		}
	}
	b.Space(2)
	b.Pieces(counters...) // Devices has them all
}

// ordinary are the device's counters that tell nothing more here: what the tap
// has counted, what the completions tell, and what another counter says as well.
var ordinary = map[string]bool{
	"sent_pkts": true, "rcvd_pkts": true, "rdma_sends": true, "rdma_recvs": true, "completer_retry_err": true,
}
