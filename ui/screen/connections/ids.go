package connections

import (
	"net/netip"
	"slices"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/table"
)

// idColumn is one column of the list of identifiers.
type idColumn struct {
	table.Column
	draw func(b *line.Buf, id *session.IDView, th *theme.Theme)
}

var idColumns = []idColumn{
	{table.Column{Title: "id", Item: layout.Item{Size: 9, Weight: 1}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { b.Text(id.Name, th.Value) }},
	{table.Column{Title: "ps", Item: layout.Item{Size: 5, Drop: 6}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { b.Text(id.PortSpace.String(), th.Dim) }},
	{table.Column{Title: "state", Item: layout.Item{Size: 14}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) {
			b.Text(id.State.String(), stateStyle(th, id.State))
		}},
	{table.Column{Title: "local address", Item: layout.Item{Size: 20, Min: 15, Weight: 1, Drop: 5}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { drawAddr(b, id.Local, th) }},
	{table.Column{Title: "peer", Item: layout.Item{Size: 20, Min: 15, Weight: 1, Drop: 2}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { drawAddr(b, id.Peer, th) }},
	{table.Column{Title: "device", Item: layout.Item{Size: 9, Min: 8, Drop: 4}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { drawName(b, id.Device, th) }},
	{table.Column{Title: "qp", Item: layout.Item{Size: 5, Min: 3, Drop: 3}},
		func(b *line.Buf, id *session.IDView, th *theme.Theme) { drawName(b, id.QP, th) }},
}

func drawAddr(b *line.Buf, a netip.AddrPort, th *theme.Theme) {
	if !a.IsValid() {
		b.Text(th.Glyphs.Dash, th.Undefined)
		return
	}
	b.Text(addrText(a), th.Value)
}

// addrText formats an IPv4 address as such, however the provider stores it; "" for none.
func addrText(a netip.AddrPort) string {
	if !a.IsValid() {
		return ""
	}
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()).String()
}

func drawName(b *line.Buf, name string, th *theme.Theme) {
	if name == "" {
		b.Text(th.Glyphs.Dash, th.Undefined)
		return
	}
	b.Text(name, th.Value)
}

func stateStyle(th *theme.Theme, st session.IDState) theme.Style {
	switch st {
	case session.IDConnected, session.IDListening:
		return th.OK
	case session.IDRequest:
		return th.Warn
	case session.IDError:
		return th.Err
	case session.IDDisconnected:
		return th.Dim
	}
	return th.Accent
}

func tableColumns() []table.Column {
	out := make([]table.Column, len(idColumns))
	for i := range idColumns {
		out[i] = idColumns[i].Column
	}
	return out
}

// idRows makes the identifiers a table's source; those that wait for an answer are
// marked.
type idRows struct{ s *Screen }

// Len implements table.Rows.
func (r idRows) Len() int { return len(r.s.snap.IDs) }

// Cell implements table.Rows.
func (r idRows) Cell(b *line.Buf, row, col int) {
	idColumns[col].draw(b, &r.s.snap.IDs[row], r.s.th)
}

// Marked implements table.Marks.
func (r idRows) Marked(row int) bool { return r.s.snap.IDs[row].State == session.IDRequest }

// sameFace reports whether two snapshots look the same here, so that traffic costs
// this screen nothing.
func sameFace(a, b *session.Snapshot) bool {
	return len(a.Objects) == len(b.Objects) && slices.EqualFunc(a.IDs, b.IDs, sameID) &&
		slices.EqualFunc(a.EventChannels, b.EventChannels, func(x, y session.EventChannelView) bool {
			return x.Name == y.Name && x.Mode == y.Mode
		}) &&
		slices.EqualFunc(a.QPs, b.QPs, func(x, y session.QPView) bool { return x.Name == y.Name && x.State == y.State })
}

func sameID(x, y session.IDView) bool {
	return x.Name == y.Name && x.State == y.State && x.Channel == y.Channel && x.Mode == y.Mode &&
		x.Device == y.Device && x.QP == y.QP &&
		x.Local == y.Local && x.Peer == y.Peer && x.Last == y.Last && slices.Equal(x.Steps, y.Steps) &&
		slices.Equal(x.Groups, y.Groups)
}
