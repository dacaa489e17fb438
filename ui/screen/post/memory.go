package post

import (
	"errors"
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/stages"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

const (
	maxView = 1 << 20 // bytes of a region that can be scrolled through
	maxRead = 8 << 10 // bytes read at a time: more than any window shows
)

// memory shows one region. Only the visible part is read; the rest of data is as last
// read.
type memory struct {
	th    *theme.Theme
	mr    session.MRView
	data  []byte
	was   []byte // data before the last operation
	marks []widget.HexRange
	dump  *widget.HexDump
	at    widget.HexRange // the request's bytes; of length 0 if not known
	w, h  int
	head  int  // lines above the dump in this frame
	apart bool // the last of them is the access
	err   string
	came  arrival

	jump  *widget.Input // input of an offset; nil: not open
	names []string      // names of tagged marks, for the legend
}

func newMemory(th *theme.Theme) *memory {
	m := &memory{th: th, dump: widget.NewHexDump(th)}
	m.dump.Empty = " no memory region"
	return m
}

// show selects a region; nil for none. A region starts as zeros.
func (m *memory) show(mr *session.MRView) {
	if mr == nil {
		mr = &session.MRView{}
	}
	if m.mr != *mr {
		m.mr, m.err, m.at, m.came = *mr, "", widget.HexRange{}, arrival{}
		m.data = make([]byte, min(mr.Length, maxView))
		m.was = make([]byte, len(m.data))
		m.dump.SetData(m.data)
	}
}

// look sets the bytes of the request. The view scrolls to them when they change, and
// otherwise stays where the user left it.
func (m *memory) look(r widget.HexRange) {
	if m.at != r {
		m.at = r
		m.reveal()
	}
}

// reveal scrolls to the request's bytes, at least the first.
func (m *memory) reveal() {
	if r := m.at; r.Len > 0 && r.Off < len(m.data) {
		m.dump.Show(min(r.Off+r.Len, len(m.data)) - 1)
		m.dump.Show(r.Off)
	}
}

// mark marks the start of an operation: later changes are marked.
func (m *memory) mark() { copy(m.was, m.data) }

// title is the name of the region, followed by as much about it as fits.
func (m *memory) title() string {
	if m.mr.Name == "" {
		return "no region"
	}
	return m.mr.Name + m.about()
}

// about gives the region's length, address and access. If the access does not fit it
// has a line of its own.
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
func (m *memory) box() *widget.Box {
	box := widget.NewBox(m.th, m.title(), m)
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
		m.head, m.apart = m.headLines(m.h), m.tellsAccess(m.h)
		from, to := m.dump.Visible()
		ranges := append([]widget.HexRange(nil), m.marks...)
		for _, r := range widget.HexDiff(m.was[from:to], m.data[from:to], m.th.Changed) {
			r.Off += from
			ranges = append(ranges, r)
		}
		m.dump.SetRanges(ranges...)
	}
	b.Space(1)
	switch head := m.head; {
	case y >= head:
		m.dump.DrawLine(b, y-head)
	case y == head-1 && m.apart:
		b.Text("access ", m.th.Label)
		b.Text(m.mr.Access.String(), m.th.Value)
	case m.jump != nil:
		b.Cell("go to", 6, line.Left, m.th.Key)
		m.jump.Draw(b, b.Room())
	default:
		m.drawLegend(b)
	}
}

// headLines returns the number of lines above the dump: the input of an offset, or
// the legend of several marks, and the access if the title has no room.
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

// drawLegend names the piece of each mark.
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

// put sets the marks, with their names if there are several.
func (m *memory) put(marks []widget.HexRange, names []string) {
	before := m.headLines(m.h)
	m.marks, m.names = marks, names
	if m.headLines(m.h) != before && m.h > 0 {
		m.dump.SetSize(max(m.w-1, 0), m.h-m.headLines(m.h))
	}
}

// window is the range of bytes to read.
type window struct {
	name     string
	from, to int
}

func (m *memory) window() window {
	from, to := m.dump.Visible()
	return window{m.mr.Name, from, min(to, from+maxRead)}
}

// take stores bytes that were read.
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

// readMsg carries the bytes read, and the completion waited for.
type readMsg struct {
	pieces []piecesRead
	wc     *timeline.Completion

	request stages.Request // the last of a queue pair, if traced
	traced  bool
}

// posted is a request whose completion is awaited.
type posted struct {
	qp    string // "": whichever takes it from a shared receive queue
	wrID  uint64
	recv  bool
	after uint64 // last event before it was posted
	times uint64 // how many were posted, with consecutive numbers
}

// last returns the number of the last posted request.
func (p *posted) last() uint64 {
	if p.recv { // all have the same
		return p.wrID
	}
	return add(p.wrID, max(p.times, 1)-1)
}

const recent = 256 // events searched for a completion

// read returns the job of reading both windows, looking for a completion, finding requests under way that use
// them, and following the last request of a queue pair, if one is named.
func (s *Screen) read(windows []window, wait *posted, look bool, traced string) func() any {
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
		if traced != "" {
			m.request, m.traced = sess.LastRequest(traced)
		}
		return m
	}
}

func (p *posted) find(events []timeline.Event) *timeline.Completion {
	for i := range events {
		e := &events[i]
		if e.Kind == timeline.KindWC && e.Seq > p.after && (p.qp == "" || e.WC.QP == p.qp) && e.WC.WC.WRID == p.wrID &&
			e.WC.Recv == p.recv {
			wc := e.WC
			return &wc
		}
	}
	return nil
}

// region returns the selected region: that of the focused pane, else the near one.
func (s *Screen) region() *memory {
	if s.Focus == paneFar {
		return s.far
	}
	return s.near
}

// turnRegion puts the next (1) or previous (-1) region in use at the end of the focused pane.
func (s *Screen) turnRegion(by int) tea.Cmd {
	m := s.region()
	n := len(s.snap.MRs)
	if n == 0 {
		return nil
	}
	at := 0
	for i := range s.snap.MRs {
		if s.snap.MRs[i].Name == m.mr.Name {
			at = (i + by + n) % n
		}
	}
	end := s.req.qp
	if m == s.far {
		end = farEnd(s)
	}
	s.env.Hand.TakeRegion(end, s.snap.MRs[at].Name)
	s.refill()
	return nil
}

// jump opens the input of an offset.
func (s *Screen) jump() tea.Cmd {
	if s.Focus == paneForm {
		s.Focus = paneNear
	}
	m := s.region()
	m.jump = widget.NewInput(s.th)
	m.jump.Placeholder = "offset in " + m.mr.Name + ", or an address"
	return nil
}

// jumping returns the region whose offset is being typed, nil if none.
func (s *Screen) jumping() *memory {
	for _, m := range []*memory{s.near, s.far} {
		if m.jump != nil {
			return m
		}
	}
	return nil
}

// jumpInput passes a key or a paste to the input of an offset.
func (s *Screen) jumpInput(m *memory, msg tea.Msg) tea.Cmd {
	k, isKey := msg.(tea.KeyPressMsg)
	switch {
	case isKey && keymap.Matches(k, keymap.Entry.Cancel):
		m.jump = nil
	case isKey && keymap.Matches(k, keymap.Entry.Accept):
		text := m.jump.Value()
		m.jump = nil
		if err := m.goTo(text); err != "" {
			return screen.Warn(err)
		}
	default:
		m.jump.Update(msg)
	}
	return nil
}

// goTo scrolls to an offset, or to an address in the region; it returns an error
// text.
func (m *memory) goTo(text string) string {
	n, err := verbs.ParseUint(text, 64)
	switch {
	case err != nil:
		return fmt.Sprintf("%q is not an offset", text)
	case n >= m.mr.Addr && n-m.mr.Addr < m.mr.Length && n >= m.mr.Length:
		n -= m.mr.Addr
	case n >= m.mr.Length:
		return fmt.Sprintf("%s ends at %d: %d is beyond", m.mr.Name, m.mr.Length, n)
	}
	if n >= uint64(len(m.data)) {
		return fmt.Sprintf("only the first %d bytes are shown: read_mem %s %d shows those", len(m.data), m.mr.Name, n)
	}
	m.dump.ShowFirst(int(n))
	return ""
}

// edit opens the console with a line about the selected region, to be edited and run.
func (s *Screen) edit(format string) tea.Cmd {
	m := s.region().mr
	if m.Name == "" {
		return screen.Flash("no region yet: n registers one")
	}
	return screen.Edit(fmt.Sprintf(format, m.Name, m.Access))
}

// deregister asks first: the bytes are lost.
func deregister(s *Screen) tea.Cmd {
	name := s.region().mr.Name
	if name == "" {
		return screen.Flash("no region yet: n registers one")
	}
	return screen.Ask("deregister?", "Deregister the memory region "+name+"?", func() tea.Cmd {
		return s.runner.Start("dereg_mr " + name)
	})
}

// register opens the console with the registration of another region.
func register(s *Screen) tea.Cmd {
	pd := ""
	if q := s.req.queue(); q != nil {
		pd = " pd=" + q.PD
	}
	return screen.Edit("reg_mr" + pd + " length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND")
}

// arrival is what the last read found: bytes in view that had changed, for which nothing
// here accounts so far.
type arrival struct {
	window
	// of the session when it was read: the same at two reads if no command has ended and no completion was polled
	// between
	events uint64
	n, off int // bytes, and the first of them; n is 0 for none
}

// arrived compares bytes that were read with those before, and returns what to tell of a
// change. It tells of it one read later: until then a completion may come that explains it.
// While something is under way here that may account for a change, still is false.
func (m *memory) arrived(p piecesRead, events uint64, still bool) string {
	was := m.came
	if m.came = (arrival{}); !still {
		return ""
	}
	m.came = arrival{window: p.window, events: events}
	if p.window != was.window || events != was.events || p.err != nil ||
		m.mr.Access&(verbs.RemoteWrite|verbs.RemoteAtomic) == 0 {
		return ""
	}
	for i, r := range widget.HexDiff(m.data[min(p.from, len(m.data)):], p.bytes, theme.Style{}) {
		if i == 0 {
			m.came.off = p.from + r.Off
		}
		m.came.n += r.Len
	}
	if was.n == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s changed from offset %d. No completion was polled: a peer's WRITE has none.",
		format.Counted(was.n, "byte"), m.mr.Name, was.off)
}

// isStill reports whether nothing is under way here that changes memory and is recorded
// only when it ends.
func (s *Screen) isStill() bool {
	_, waits := s.env.Session.Waiting()
	return !waits && !busy(&s.snap)
}
