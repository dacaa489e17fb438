package devices

import (
	"fmt"

	inv "rdmatui/devices"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// list is the list of devices, one line per port, with hints below it.
type list struct {
	*widget.Table
	th    *theme.Theme
	devs  []inv.Summary
	lines []listLine
	open  map[string]bool // by name
	notes []note
	h     int
}

// listLine is one port of a device; port is -1 for a device without ports.
type listLine struct{ dev, port int }

// note is a line under the list; key is drawn as a key, wrong as an error.
type note struct {
	key, text string
	wrong     bool
}

func newList(th *theme.Theme) *list {
	l := &list{th: th, open: map[string]bool{}}
	l.Table = widget.NewTable(th, l,
		widget.TableColumn{Title: "device", Space: widget.Space{Size: 8, Min: 6, Weight: 2}},
		widget.TableColumn{Title: "state", Space: widget.Space{Size: 7}},
		widget.TableColumn{Title: "rate", Align: line.Right, Space: widget.Space{Size: 9, Drop: 1}},
		widget.TableColumn{Title: "netdev", Space: widget.Space{Size: 8, Min: 6, Weight: 1, Drop: 2}},
		widget.TableColumn{Title: "provider", Space: widget.Space{Size: 8, Drop: 3}},
		widget.TableColumn{Title: "transport", Space: widget.Space{Size: 10, Drop: 4}},
		widget.TableColumn{Title: "port", Align: line.Right, Space: widget.Space{Size: 4, Drop: 5}},
		widget.TableColumn{Title: "node GUID", Space: widget.Space{Size: 19, Drop: 6}},
	)
	l.Keeps = true
	l.Empty = "reading the devices…"
	return l
}

// set replaces the devices and keeps the cursor on its device; at first it selects an
// open device, if any.
func (l *list) set(devs []inv.Summary) {
	was, had := l.selected()
	port := l.portAt()
	l.devs, l.lines, l.Empty = devs, l.lines[:0], "no RDMA device"
	at := 0
	for d := range devs {
		if had && devs[d].Name == was.Name || !had && l.open[devs[d].Name] {
			at = len(l.lines)
		}
		for p := range devs[d].Ports {
			if had && devs[d].Name == was.Name && devs[d].Ports[p].PortNum == port {
				at = len(l.lines)
			}
			l.lines = append(l.lines, listLine{d, p})
		}
		if len(devs[d].Ports) == 0 {
			l.lines = append(l.lines, listLine{d, -1})
		}
	}
	l.SetRows(l)
	l.SetCursor(at)
}

// selected returns the device under the cursor.
func (l *list) selected() (inv.Summary, bool) {
	i := l.Cursor()
	if i < 0 {
		return inv.Summary{}, false
	}
	return l.devs[l.lines[i].dev], true
}

// pick puts the cursor on a named device; ok is false if there is none.
func (l *list) pick(name string) (ok bool) {
	for i := range l.lines {
		if l.devs[l.lines[i].dev].Name == name {
			l.SetCursor(i)
			return true
		}
	}
	return false
}

// portAt returns the port under the cursor, 0 for none.
func (l *list) portAt() uint8 {
	i := l.Cursor()
	if i < 0 || l.lines[i].port < 0 {
		return 0
	}
	return l.devs[l.lines[i].dev].Ports[l.lines[i].port].PortNum
}

// wantedPort returns the port under the cursor if opening the device has to name it: it
// is ACTIVE and not the default. Otherwise it returns 0.
func (l *list) wantedPort() uint8 {
	d, ok := l.selected()
	if !ok {
		return 0
	}
	at, usual := l.portAt(), d.UsualPort().PortNum
	for i := range d.Ports {
		if p := &d.Ports[i]; p.PortNum == at && at != usual && p.State == verbs.PortActive {
			return at
		}
	}
	return 0
}

// onPort says on which port the selected device would be opened, "" if there is no choice.
func (l *list) onPort() string {
	d, ok := l.selected()
	if !ok || len(d.Ports) < 2 {
		return ""
	}
	if port := l.wantedPort(); port != 0 {
		return fmt.Sprintf(" on port %d", port)
	}
	usual := d.UsualPort()
	return fmt.Sprintf(" on port %d, %s", usual.PortNum, usual.Why)
}

// has reports whether a device of this name is listed.
func (l *list) has(name string) bool {
	for i := range l.devs {
		if l.devs[i].Name == name {
			return true
		}
	}
	return false
}

// hostDevices reports whether any device is the host's own.
func (l *list) hostDevices() bool {
	for i := range l.devs {
		if l.devs[i].Provider != verbs.SoftProvider {
			return true
		}
	}
	return false
}

// Len implements widget.TableRows.
func (l *list) Len() int { return len(l.lines) }

// Marked implements widget.TableMarks: an open device is.
func (l *list) Marked(i int) bool { return l.open[l.devs[l.lines[i].dev].Name] }

// Cell implements widget.TableRows.
func (l *list) Cell(b *line.Buf, i, col int) {
	at := l.lines[i]
	d := &l.devs[at.dev]
	if at.port < 0 {
		l.portless(b, d, col)
		return
	}
	p := &d.Ports[at.port]
	switch col {
	case 0:
		l.name(b, d, p)
	case 1:
		b.Text(p.State.String(), stateTone(p.State).style(l.th))
	case 2:
		b.Text(rateText(p.Rate), l.th.Value)
	case 3:
		b.Text(orDash(p.Netdev), l.th.Value)
	case 4:
		b.Text(d.Provider, l.th.Dim)
	case 5:
		b.Text(d.TransportOver(p.LinkLayer), l.th.Dim)
	case 6:
		b.Text(fmt.Sprint(p.PortNum), l.th.Dim)
	case 7:
		b.Text(d.NodeGUID.String(), l.th.Dim)
	}
}

// name writes "mlx4_0:2" if there are several ports. The port is never cut.
func (l *list) name(b *line.Buf, d *inv.Summary, p *inv.PortSummary) {
	if len(d.Ports) == 1 {
		b.Text(d.Name, l.th.Value)
		return
	}
	port := fmt.Sprintf(":%d", p.PortNum)
	room := min(line.Width(d.Name), max(b.Room()-len(port), 0))
	b.Cell(d.Name, room, line.Left, l.th.Value)
	b.Text(port, l.th.Dim)
}

func (l *list) portless(b *line.Buf, d *inv.Summary, col int) {
	switch {
	case col == 0:
		b.Text(d.Name, l.th.Value)
	case col == 1 && d.Err != "":
		b.Text("error", l.th.Err)
	case col == 1:
		b.Text("no port", l.th.Warn)
	case col == 4:
		b.Text(d.Provider, l.th.Dim)
	case col == 7:
		b.Text(d.NodeGUID.String(), l.th.Dim)
	}
}

// wants is the number of rows that show everything.
func (l *list) wants() int { return 1 + max(len(l.lines), 1) + len(l.notes) }

// SetSize implements widget.Block; devices come before the notes.
func (l *list) SetSize(w, h int) {
	l.h = max(h-min(len(l.notes), max(h-2, 0)), 1)
	l.Table.SetSize(w, l.h)
}

// DrawLine implements widget.Block.
func (l *list) DrawLine(b *line.Buf, y int) {
	if y < l.h {
		l.Table.DrawLine(b, y)
		return
	}
	n := l.notes[y-l.h]
	b.Space(2)
	if n.key != "" {
		b.Text(n.key, l.th.Key)
		b.Space(1)
	}
	st := l.th.Dim
	if n.wrong {
		st = l.th.Err
	}
	r := b.BeginCell(b.Room(), line.Left)
	b.Text(n.text, st)
	b.End(r)
}
