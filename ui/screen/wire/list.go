package wire

import (
	"slices"
	"strings"

	"rdmatui/session"
	"rdmatui/session/conversation"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
	"rdmatui/verbs/wire/mad"
)

// list is the rows of the source that pass the filters.
type list struct {
	th     *theme.Theme
	source source
	names  map[conversation.End]string // names of queue pairs
	hand   string                      // the queue pair in hand, whose conversation is marked
	folds  bool                        // the source has records of both ends of the wire, which share a row
	chosen bool                        // not all records have a row
	view   []uint64                    // those that are, if chosen
	tried  uint64                      // packets before this one have been tried

	text    string              // typed; "": all
	pass    conversation.Filter // what text means as an expression; nil: rows contain it
	mistake string              // in an expression
	device  string              // "": all
	talk    *conversation.Talk  // nil: all
	buf     *line.Buf

	tested conversation.Subject      // the packet that a filter is tried on
	talked conversation.Conversation // of it
}

func newList(th *theme.Theme, s source) *list {
	_, folds := s.(*conversation.Live)
	return &list{th: th, source: s, names: map[conversation.End]string{}, buf: line.New(&theme.Theme{}),
		folds: folds, chosen: folds}
}

// frameTries is how many packets are tried in one frame at most, so that filtering a
// large capture does not block the screen.
const frameTries = 1 << 15

// filtered reports whether there is a filter.
func (l *list) filtered() bool { return l.text != "" || l.device != "" || l.talk != nil }

// refilter begins anew; extend continues.
func (l *list) refilter() {
	l.chosen, l.view, l.tried = l.folds || l.filtered(), l.view[:0], 0
	l.extend()
}

// extend tries packets that have not been tried, as many as a frame allows. It reports
// whether it has tried any, and how many rows were dropped at the top.
func (l *list) extend() (changed bool, dropped int) {
	from, to := l.source.Span()
	if !l.chosen {
		dropped = int(from - min(l.tried, from)) // here tried is the first packet shown
		l.tried = from
		return dropped > 0, dropped
	}
	if dropped, _ = slices.BinarySearch(l.view, from); dropped > 0 {
		l.view = append(l.view[:0], l.view[dropped:]...)
	}
	l.tried = max(l.tried, from)
	upTo := min(to, l.tried+frameTries)
	changed = l.tried < upTo || dropped > 0
	for ; l.tried < upTo; l.tried++ {
		if l.passes(l.tried) {
			l.view = append(l.view, l.tried)
		}
	}
	return changed, dropped
}

// rest returns how many packets have not been tried yet.
func (l *list) rest() uint64 {
	_, to := l.source.Span()
	if !l.chosen {
		return 0
	}
	return to - min(l.tried, to)
}

// passes reports whether a packet has a row of its own: the received record of a packet has none if the sent one has.
func (l *list) passes(n uint64) bool {
	if sent, copied := l.source.CopyOf(n); copied {
		if from, _ := l.source.Span(); sent < from || l.place(sent) >= 0 {
			return false
		}
	}
	if !l.filtered() {
		return true
	}
	r := l.source.Trial(n)
	if r == nil || l.device != "" && r.Device != l.device || l.talk != nil && !l.source.Has(l.talk, r) {
		return false
	}
	return l.matches(r)
}

// learnNames takes the names of the queue pairs, and reports whether they have changed.
func (l *list) learnNames(snap *session.Snapshot) (changed bool) {
	for i := range snap.QPs {
		q := &snap.QPs[i]
		for j := range snap.Devices {
			if snap.Devices[j].Name != q.Device {
				continue
			}
			for _, g := range snap.Devices[j].GIDs {
				at := conversation.End{Addr: g.GID.Addr(), QP: uint32(q.Num)}
				changed = changed || l.names[at] != q.Name
				l.names[at] = q.Name
			}
		}
	}
	return changed
}

// number returns the number of the packet at an index of the list.
func (l *list) number(i int) (n uint64, ok bool) {
	if !l.chosen {
		from, to := l.source.Span()
		n = from + uint64(i)
		return n, i >= 0 && n < to
	}
	if i < 0 || i >= len(l.view) {
		return 0, false
	}
	return l.view[i], true
}

// at returns the row at an index, nil if there is none.
func (l *list) at(i int) *row {
	if n, ok := l.number(i); ok {
		return l.source.Packet(n)
	}
	return nil
}

// place returns the index of a packet; -1 if it is not in the list.
func (l *list) place(n uint64) int {
	if !l.chosen {
		from, to := l.source.Span()
		if n < from || n >= to {
			return -1
		}
		return int(n - from)
	}
	if i, ok := slices.BinarySearch(l.view, n); ok {
		return i
	}
	return -1
}

// index finds a row, or its record at the other end of the wire; -1 for none.
func (l *list) index(r *row) int {
	i := l.place(r.N)
	if i < 0 && r.Twin != nil {
		i = l.place(r.Twin.N)
	}
	return i
}

// The columns of the list.
const (
	colTime = iota
	colDevice
	colOpcode
	colQP
	colPSN
	colLen
	colMeaning
)

var columns = []widget.TableColumn{
	colTime:    {Title: "time s", Align: line.Right, Space: widget.Space{Size: 11, Min: 9, Drop: 3}},
	colDevice:  {Title: "device", Space: widget.Space{Size: 8, Min: 7}},
	colOpcode:  {Title: "opcode", Space: widget.Space{Size: 16, Min: 14}},
	colQP:      {Title: "to qp", Space: widget.Space{Size: 8, Drop: 1}},
	colPSN:     {Title: "psn", Space: widget.Space{Size: 8}},
	colLen:     {Title: "bytes", Align: line.Right, Space: widget.Space{Size: 5, Drop: 2}},
	colMeaning: {Title: "what", Space: widget.Space{Min: 18, Weight: 1}},
}

// tracedColumns show addresses: a capture is of one interface, or names none.
var tracedColumns = func() []widget.TableColumn {
	all := slices.Clone(columns)
	all[colDevice] = widget.TableColumn{Title: "from", Space: widget.Space{Size: 15, Min: 8}}
	return all
}()

// Len implements widget.TableRows.
func (l *list) Len() int {
	if !l.chosen {
		from, to := l.source.Span()
		return int(to - from)
	}
	return len(l.view)
}

// Cell implements widget.TableRows.
func (l *list) Cell(b *line.Buf, i, col int) {
	if r := l.at(i); r != nil {
		l.draw(b, r, col)
	}
}

func (l *list) draw(b *line.Buf, r *row, col int) {
	th := l.th
	switch col {
	case colTime:
		eventline.Time(b, r.T, 6, th.Dim)
	case colDevice:
		if r.Live {
			drawDirection(b, r)
		} else {
			b.Text(wire.AddrText(r.Src.Addr()), th.Value)
		}
	case colOpcode:
		b.Text(shortName(r.Wire.BTH.Opcode), opcodeStyle(th, r))
	case colQP:
		l.drawEnd(b, r)
	case colPSN:
		b.Hex(uint64(r.Wire.BTH.PSN), 6, th.Value)
	case colLen:
		b.Uint(uint64(len(r.Wire.Payload)), th.Value)
	case colMeaning:
		if r.Missed > 0 {
			b.Text(th.Glyphs.Ellipsis, th.Warn)
			eventline.Count(b, r.Missed, th.Warn)
			b.Text(" not kept ", th.Warn)
		}
		if r.More > 0 {
			b.Text(th.Glyphs.Times, th.Warn)
			eventline.Count(b, r.More+1, th.Warn)
			b.Space(1)
		}
		drawMarks(b, r)
		drawMeaning(b, r)
	}
}

func drawDirection(b *line.Buf, p *row) {
	g, st := b.Theme.Glyphs.Left, b.Theme.Info
	if p.Outgoing {
		g, st = b.Theme.Glyphs.Right, b.Theme.Accent
	}
	b.Text(g, st)
	if p.Outgoing && p.Arrived() {
		b.Text(b.Theme.Glyphs.Check, b.Theme.OK)
	} else {
		b.Space(1)
	}
	b.Text(p.Device, b.Theme.Value)
}

// drawEnd writes the name of the queue pair that a packet is for, or its number.
func (l *list) drawEnd(b *line.Buf, r *row) {
	st := l.th.Value
	if l.ofHand(r) {
		st = l.th.Accent
	}
	if name := l.names[r.To()]; name != "" {
		b.Text(name, st)
		return
	}
	b.Hex(uint64(r.To().QP), 6, st)
}

// isNAK reports whether a packet refuses a request, temporarily or finally.
func isNAK(r *row) bool {
	return r.Wire.Headers.Has(wire.HasAETH) && r.Wire.AETH.Syndrome.Kind() != wire.SyndromeACK
}

// isReject reports whether a packet refuses a connection.
func isReject(r *row) bool {
	m := mad.In(&r.Wire, len(r.Data))
	return m != nil && m.MgmtClass == wire.MADClassCM && m.Attribute == wire.CMAttrREJ
}

func opcodeStyle(th *theme.Theme, r *row) theme.Style {
	switch {
	case r.Err != nil || r.Marks.Has(conversation.Lost|conversation.BadICRC) || isReject(r):
		return th.Err
	case isNAK(r):
		return syndromeStyle(th, r.Wire.AETH.Syndrome)
	case r.Marks.Has(conversation.CNP):
		return th.Warn
	}
	return th.Value
}

// setText takes what is typed: an expression if it is one, or a text that a row
// contains.
func (l *list) setText(text string) {
	l.text, l.pass, l.mistake = text, nil, ""
	pass, err := conversation.ParseFilter(text, l.numberOf)
	switch {
	case strings.TrimSpace(text) == "":
	case err == nil:
		l.pass = pass
	case strings.ContainsAny(text, "=<>~!()"): // meant as an expression
		l.mistake = err.Error()
	}
}

// complete lists how an expression may go on.
func complete(text string, cursor int) (list []widget.Candidate) {
	for _, c := range conversation.CompleteFilter(text, cursor) {
		list = append(list, widget.Candidate{Text: c.Text, Help: c.Doc, From: c.From, To: c.To})
	}
	return list
}

// numberOf returns the number of a named queue pair.
func (l *list) numberOf(qp string) (uint64, bool) {
	for at, name := range l.names {
		if name == qp {
			return uint64(at.QP), true
		}
	}
	return 0, false
}

// subject is a row as the filter takes it, valid until the next call.
func (l *list) subject(r *row) *conversation.Subject {
	l.talked.Talk = l.source.TalkOf(r)
	l.tested = conversation.Subject{Frame: &r.Frame, Marks: r.Marks, Talk: &l.talked}
	return &l.tested
}

// matches reports whether a row passes what was typed.
func (l *list) matches(r *row) bool {
	switch {
	case l.text == "":
		return true
	case l.pass != nil:
		return l.pass(l.subject(r))
	}
	b := l.buf
	b.Reset()
	for col := range columns {
		l.draw(b, r, col)
		b.Space(1)
	}
	b.Text(r.Wire.BTH.Opcode.String(), theme.Style{})
	b.Space(1)
	b.Hex(uint64(r.To().QP), 6, theme.Style{})
	return strings.Contains(strings.ToLower(b.String()), strings.ToLower(l.text))
}
