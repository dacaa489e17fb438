package post

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/hexdump"
	"rdmatui/ui/widget/input"
	"rdmatui/ui/widget/line"
)

const (
	maxView = 1 << 20 // bytes of a region that can be scrolled through
	maxRead = 8 << 10 // bytes read at a time: more than any window shows
)

// memory shows one region. Only what is visible is read; the rest of data is what
// was seen last.
type memory struct {
	th    *theme.Theme
	mr    session.MRView
	data  []byte
	was   []byte // data before the last operation
	marks []hexdump.Range
	dump  *hexdump.Dump
	at    hexdump.Range // what the request is about; of no length: not known
	w, h  int
	err   string

	chosen string       // the region that the user wants to see; "": that of the request
	jump   *input.Input // where an offset is typed; nil: nowhere
	names  []string     // of marks that have a tag, for the legend
}

func newMemory(th *theme.Theme) *memory {
	m := &memory{th: th, dump: hexdump.New(th)}
	m.dump.Empty = " no memory region"
	return m
}

// show turns to a region; nil for none. A region begins as zeros.
func (m *memory) show(mr *session.MRView) {
	if mr == nil {
		mr = &session.MRView{}
	}
	if m.mr != *mr {
		m.mr, m.err, m.at = *mr, "", hexdump.Range{}
		m.data = make([]byte, min(mr.Length, maxView))
		m.was = make([]byte, len(m.data))
		m.dump.SetData(m.data)
	}
}

// look tells which bytes the request is about; they are scrolled to when they
// change, and otherwise stay where the user has put them.
func (m *memory) look(r hexdump.Range) {
	if m.at != r {
		m.at = r
		m.reveal()
	}
}

// reveal scrolls so that the bytes the request is about show, the first at least.
func (m *memory) reveal() {
	if r := m.at; r.Len > 0 && r.Off < len(m.data) {
		m.dump.Show(min(r.Off+r.Len, len(m.data)) - 1)
		m.dump.Show(r.Off)
	}
}

// mark says that an operation begins: what changes from now on is marked.
func (m *memory) mark() { copy(m.was, m.data) }

// title is the name of the region, and more about it as it fits.
func (m *memory) title() string {
	if m.mr.Name == "" {
		return "no region"
	}
	return m.mr.Name + m.about()
}

// about says how long the region is, where it is and what it permits. Where the
// access does not fit it has a line of its own.
func (m *memory) about() string {
	if m.mr.Name == "" {
		return ""
	}
	t := fmt.Sprintf(" · %d B · addr 0x%x · rkey 0x%x", m.mr.Length, m.mr.Addr, m.mr.RKey)
	if m.mr.Length > maxView {
		t += " · the first MiB"
	}
	if m.err != "" {
		t += " · " + m.err
	}
	if all := t + " · " + m.mr.Access.String(); line.Width(m.mr.Name+all) <= m.w-titleEnds {
		return all
	}
	return t
}

const titleEnds = 3 // cells of a frame beside its title

// box is the frame around the region.
func (m *memory) box() *frame.Box {
	box := frame.New(m.th, m.title(), m)
	if m.mr.Name != "" {
		box.Title = m.mr.Name
		box.Head = func(b *line.Buf) { b.Text(m.about(), m.th.Label) }
	}
	return box
}

// SetSize implements widget.Block.
func (m *memory) SetSize(w, h int) {
	changed := m.w != w || m.h != h
	m.w, m.h = w, h
	m.dump.SetSize(max(w-1, 0), h-m.headLines(h))
	if changed {
		m.reveal()
	}
}

// DrawLine implements widget.Block.
func (m *memory) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		from, to := m.dump.Visible()
		ranges := append([]hexdump.Range(nil), m.marks...)
		for _, r := range hexdump.Diff(m.was[from:to], m.data[from:to], m.th.Changed) {
			r.Off += from
			ranges = append(ranges, r)
		}
		m.dump.SetRanges(ranges...)
	}
	b.Space(1)
	head := m.headLines(m.h)
	switch {
	case y >= head:
		m.dump.DrawLine(b, y-head)
	case y == head-1 && m.tellsAccess(m.h):
		b.Text("access ", m.th.Label)
		b.Text(m.mr.Access.String(), m.th.Value)
	case m.jump != nil:
		b.Cell("go to", 6, line.Left, m.th.Key)
		m.jump.Draw(b, b.Room())
	default:
		m.drawLegend(b)
	}
}

// headLines is the lines above the dump: an offset that is typed, or what the
// marks are where there are several, and the access where the title has no room.
func (m *memory) headLines(h int) (n int) {
	if m.jump != nil && h > 0 || len(m.names) > 1 && h > 1 {
		n++
	}
	if m.tellsAccess(h) {
		n++
	}
	return n
}

// accessRows is the height from which the access may have a line of its own.
const accessRows = 8

func (m *memory) tellsAccess(h int) bool {
	return h >= accessRows && m.mr.Name != "" && !strings.HasSuffix(m.about(), m.mr.Access.String())
}

// drawLegend says which piece each mark is.
func (m *memory) drawLegend(b *line.Buf) {
	for i, name := range m.names {
		if b.Room() < 4 {
			return
		}
		b.Text(m.marks[i].Tag, m.th.Key)
		b.Text(name, m.marks[i].Style)
		b.Space(min(2, b.Room()))
	}
	if b.Room() > 8 {
		b.Text("changed", m.th.Changed)
	}
}

// Mouse implements widget.Mouser.
func (m *memory) Mouse(ev widget.Mouse) bool { return m.dump.Mouse(ev) }

// put shows marks, each with its name where there are several.
func (m *memory) put(marks []hexdump.Range, names []string) {
	before := m.headLines(m.h)
	m.marks, m.names = marks, names
	if m.headLines(m.h) != before && m.h > 0 {
		m.dump.SetSize(max(m.w-1, 0), m.h-m.headLines(m.h))
	}
}

// window is what a read is wanted of.
type window struct {
	name     string
	from, to int
}

func (m *memory) window() window {
	from, to := m.dump.Visible()
	return window{m.mr.Name, from, min(to, from+maxRead)}
}

// take puts bytes that were read in their place.
func (m *memory) take(p piecesRead) {
	if p.name != m.mr.Name {
		return
	}
	if m.err = ""; p.err != nil {
		m.err = p.err.Error()
	}
	copy(m.data[min(p.from, len(m.data)):], p.bytes)
}

// piecesRead is the bytes of one window.
type piecesRead struct {
	window
	bytes []byte
	err   error
}

// readMsg brings what was read, and the completion that was waited for.
type readMsg struct {
	pieces []piecesRead
	wc     *timeline.Completion
}

// posted is a request whose completion is waited for.
type posted struct {
	qp    string // "": whichever takes it from a shared receive queue
	wrID  uint64
	recv  bool
	after uint64 // number of the last event before it was posted
	times uint64 // how many were posted, with numbers one after the other
}

// last is the number of the last request of those that were posted.
func (p *posted) last() uint64 {
	if p.recv { // all have the same
		return p.wrID
	}
	return add(p.wrID, max(p.times, 1)-1)
}

const recent = 256 // events that are searched for a completion

// read is the job of reading both windows and looking for a completion, and where requests are under way at them.
func (s *Screen) read(windows []window, wait *posted, look bool) func() any {
	sess := s.env.Session
	return func() any {
		if look {
			sess.LookAtSends()
		}
		var m readMsg
		for _, w := range windows {
			if w.name == "" || w.to <= w.from {
				continue
			}
			p := piecesRead{window: w, bytes: make([]byte, w.to-w.from)}
			n, err := sess.ReadMem(w.name, int64(w.from), p.bytes)
			p.bytes = p.bytes[:n]
			if !errors.Is(err, io.EOF) {
				p.err = err
			}
			m.pieces = append(m.pieces, p)
		}
		if wait != nil {
			m.wc = wait.find(sess.Timeline().Tail(recent, nil))
		}
		return m
	}
}

func (p *posted) find(events []timeline.Event) *timeline.Completion {
	for i := range events {
		e := &events[i]
		if e.Kind == timeline.KindWC && e.Seq > p.after && (p.qp == "" || e.WC.QP == p.qp) && e.WC.WC.WRID == p.wrID && e.WC.Recv == p.recv {
			wc := e.WC
			return &wc
		}
	}
	return nil
}
