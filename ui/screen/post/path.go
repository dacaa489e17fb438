package post

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/replay"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// stage is the state of a lane of the data path for the current request.
type stage uint8

const (
	idle    stage = iota
	here          // the request has reached this lane
	stuck         // the request waits for this
	unknown       // not reported by the device
)

// lane is one station of the data path.
type lane struct {
	name, short string
	stage       stage
	used, slots int // of a queue; slots is 0 if it is none
	text        string
	failed      bool // it counts failures
}

// Lanes of the data path, in the order in which a SEND passes them.
const (
	laneSrc = iota
	laneSQ
	laneWire
	laneRQ
	laneDst
	laneCQ
	lanes
)

// path is the current data path of the selected queue pair.
type path struct {
	th     *theme.Theme
	lanes  [lanes]lane
	back   bool // data flows back: a READ or an atomic
	note   string
	short  string // the note for small windows
	stage  stage  // of the note
	behind []string
}

// ends returns the queue pairs between which requests pass, nil for a remote one; for a RECV they are swapped.
func ends(s *Screen) (from, to *session.QPView) {
	q := s.req.queue()
	if q == nil {
		return nil, nil
	}
	other := queueOf(&s.snap, far(&s.snap, q))
	if s.req.isRecv() {
		return other, q
	}
	return q, other
}

// newPath makes the data path from the snapshot.
func newPath(s *Screen) (p path) {
	p.th = s.th
	from, to := ends(s)
	op := s.req.opcode()
	var waiting []session.RequestView
	if from != nil {
		if waiting = from.Waiting(); len(waiting) > 0 {
			op = waiting[0].Opcode
		}
	}
	t := op.Traits()
	p.back = t.Receives
	p.memories(s, from, to, waiting)
	p.queues(s, from, to, t.NeedRecv || s.req.isRecv() && len(waiting) == 0)
	if from != nil {
		p.follow(s, from, waiting)
	}
	return p
}

// memories fills the outer lanes: the memory of both ends.
func (p *path) memories(s *Screen, from, to *session.QPView, waiting []session.RequestView) {
	near, far1 := s.near.mr, s.far.mr
	if s.req.isRecv() {
		near, far1 = far1, near
	}
	n := s.req.total()
	if len(waiting) > 0 {
		w := &waiting[0]
		n = verbs.TotalLength(w.List)
		if m := regionOf(&s.snap, from.Device, func(m *session.MRView) bool {
			return len(w.List) > 0 && m.LKey == w.List[0].LKey
		}); m != nil {
			near = *m
		}
		if w.Opcode.Traits().Remote {
			far1 = session.MRView{Name: "peer"}
			if m := regionOf(&s.snap, device(to, from), func(m *session.MRView) bool {
				return m.RKey == w.RKey
			}); m != nil {
				far1 = *m
			}
		}
	}
	size := format.Count(n) + " B"
	p.lanes[laneSrc] = lane{name: near.Name, short: near.Name, text: size}
	p.lanes[laneDst] = lane{name: far1.Name, short: far1.Name, text: size}
	if from == nil {
		p.lanes[laneSrc] = lane{name: "peer", short: "peer", stage: unknown}
	}
	if to == nil && !s.req.isRecv() {
		p.lanes[laneDst] = lane{name: "peer", short: "peer", stage: unknown}
	}
}

// device names the device of the first queue pair that is not nil.
func device(qs ...*session.QPView) string {
	for _, q := range qs {
		if q != nil {
			return q.Device
		}
	}
	return ""
}

func regionOf(s *session.Snapshot, device string, fits func(*session.MRView) bool) *session.MRView {
	for i := range s.MRs {
		if m := &s.MRs[i]; m.Device == device && fits(m) {
			return m
		}
	}
	return nil
}

// queues fills the lanes of the queues; recvs says that the request consumes a RECV.
func (p *path) queues(s *Screen, from, to *session.QPView, recvs bool) {
	p.lanes[laneSQ], p.lanes[laneWire] = lane{name: "SQ", short: "SQ", stage: unknown},
		lane{name: "wire", short: "wire"}
	p.lanes[laneRQ], p.lanes[laneCQ] = lane{name: "RQ", short: "RQ", stage: unknown},
		lane{name: "CQ", short: "CQ", stage: unknown}
	if from != nil {
		p.lanes[laneSQ] = lane{
			name: "SQ of " + from.Name, short: "SQ", used: from.SendOutstanding, slots: int(from.Cap.MaxSendWR),
		}
		for i := range s.snap.CQs {
			if c := &s.snap.CQs[i]; c.Name == from.SendCQ {
				p.lanes[laneCQ] = lane{
					name: "CQ " + c.Name, short: "CQ " + tally(c), text: tally(c), failed: c.Failed > 0,
				}
			}
		}
	}
	if to != nil {
		rq := lane{name: "RQ of " + to.Name, short: "RQ", used: to.RecvPosted, slots: int(to.Cap.MaxRecvWR)}
		if srq := s.snap.SRQ(to.SRQ); srq != nil {
			rq.name, rq.slots = "SRQ "+srq.Name, int(srq.MaxWR)
		}
		p.lanes[laneRQ] = rq
	}
	if !recvs {
		p.lanes[laneRQ] = lane{name: "RQ", short: "RQ", text: "not used"}
	}
}

// tally counts the completions of a completion queue.
func tally(c *session.CQView) string {
	text := format.Count(c.Completed) + " ok"
	if c.Failed > 0 {
		text += " " + format.Count(c.Failed) + " failed"
	}
	return text
}

// follow shows where the oldest request is.
func (p *path) follow(s *Screen, q *session.QPView, waiting []session.RequestView) {
	if len(waiting) == 0 {
		p.rest(q)
		return
	}
	f, w := q.Flight(), &waiting[0]
	name := fmt.Sprintf("wr %d %s", w.WRID, w.Opcode)
	for i := 1; i < len(waiting); i++ {
		p.behind = append(p.behind,
			fmt.Sprintf("wr %d %s waits behind wr %d", waiting[i].WRID, waiting[i].Opcode, w.WRID))
	}
	if more := q.SendOutstanding - len(q.Sends.Oldest); more > 0 {
		p.behind = append(p.behind, fmt.Sprintf("%s more behind them", format.Count(uint64(more))))
	}
	p.place(&f)
	if st, ok := preflight.Stalled(&s.snap, q); ok {
		p.stall(&st, name, &f)
		return
	}
	switch p.stage = here; {
	case !f.Told && !f.Seen():
		p.note = name + ": posted"
	case !f.Told:
		p.note = fmt.Sprintf("%s: posted; %s does not report progress", name, q.Device)
	case f.Out == 0:
		p.note = name + ": queued"
	default:
		p.note = fmt.Sprintf("%s: %d of %d packets sent, %d acknowledged", name, f.Out, f.Packets, f.Acked)
	}
	p.short = p.note
}

// place marks the lane that the request has reached.
func (p *path) place(f *session.FlightView) {
	at := laneSQ
	switch {
	case !f.Told:
		for _, l := range []int{laneWire, laneDst} {
			p.lanes[l].stage, p.lanes[l].text = unknown, "not told"
		}
	case f.Out > 0:
		at = laneWire
		p.lanes[laneWire].text = fmt.Sprintf("%d/%d packets", f.Out, f.Packets)
		p.lanes[laneDst].text = fmt.Sprintf("%d/%d packets", f.Acked, f.Packets)
	}
	p.lanes[at].stage = here
}

// stall marks what the request waits for.
func (p *path) stall(st *preflight.Stall, name string, f *session.FlightView) {
	at := laneWire
	switch {
	case f.Tries.RNRNAKs > 0:
		at = laneRQ
	case f.Told && f.Out == 0 || !f.Told:
		at = laneSQ
	}
	p.stage = stuck
	if st.Over {
		p.stage = here
	}
	p.lanes[at].stage = p.stage
	cause, _, _ := strings.Cut(st.Why, ";")
	p.note, p.short = name+" waits: "+st.Why, fmt.Sprintf("wr %d: %s", st.WRID, cause)
}

// rest describes a queue without requests under way.
func (p *path) rest(q *session.QPView) {
	if p.note = "No request outstanding"; q.SendOutstanding > 0 {
		p.note = format.Counted(q.SendOutstanding, "request") + " executed; completions not polled yet"
	}
}

// pathBlock draws the data path: in one line, or with the slots of the queues, what the current request waits for, and
// the requests behind it.
func pathBlock(s *Screen) widget.Block {
	var p path
	var notes []string
	return &widget.Func{Line: func(b *line.Buf, y, w, h int) {
		if y == 0 {
			p = newPath(s)
			notes = widget.Wrap(notes[:0], line.Escape(p.note), max(w-2, 8))
			for _, text := range p.behind {
				notes = append(notes, line.Escape(text))
			}
		}
		b.Space(1)
		switch {
		case h < 3:
			p.drawShort(b, y)
		case y == 0:
			p.drawLanes(b, p.arrow(), func(l *lane, w int) { b.Cell(l.name, w, line.Left, p.laneStyle(l, s.th.Key)) })
		case y == 1:
			p.drawLanes(b, " ", func(l *lane, w int) { p.drawFill(b, l, w) })
		case y == h-1 && len(notes) > h-2:
			b.Cell(fmt.Sprintf("%s and %d more", s.th.Glyphs.Ellipsis, len(notes)-(h-3)), b.Room(), line.Left, s.th.Dim)
		case y-2 < len(notes):
			b.Cell(notes[y-2], b.Room(), line.Left, p.noteStyle(y-2 < len(notes)-len(p.behind)))
		}
	}}
}

func (p *path) laneStyle(l *lane, usual theme.Style) theme.Style {
	return [...]theme.Style{idle: usual, here: p.th.Accent, stuck: p.th.Err, unknown: p.th.Dim}[l.stage]
}

// countStyle is the style of what a lane counts.
func (p *path) countStyle(l *lane, usual theme.Style) theme.Style {
	if l.failed {
		return p.th.Err
	}
	return p.laneStyle(l, usual)
}

func (p *path) noteStyle(first bool) theme.Style {
	if !first {
		return p.th.Dim
	}
	return p.laneStyle(&lane{stage: p.stage}, p.th.Value)
}

// arrow points in the direction of the data.
func (p *path) arrow() string {
	switch {
	case !p.back:
		return p.th.Glyphs.Pointer
	case p.th.Glyphs.ASCII:
		return "<"
	}
	return "◂"
}

// drawLanes draws one line of all lanes, with a glyph between them.
func (p *path) drawLanes(b *line.Buf, between string, cell func(l *lane, w int)) {
	room := b.Room() - 3*(lanes-1)
	for i := range p.lanes {
		if i > 0 {
			b.Space(1)
			b.Text(between, p.th.Dim)
			b.Space(1)
		}
		w := room / lanes
		if i < room%lanes {
			w++
		}
		cell(&p.lanes[i], max(w, 0))
	}
}

// drawFill draws the slots of a queue with their number, or the text of another lane.
func (p *path) drawFill(b *line.Buf, l *lane, w int) {
	r := b.Begin(w)
	st := p.countStyle(l, p.th.Value)
	switch text := fmt.Sprintf("%d/%d", l.used, l.slots); {
	case l.slots > 0:
		bar := min(w-len(text)-1, l.slots, 16)
		if full := filled(l, bar); bar > 0 {
			b.Repeat(p.th.Glyphs.Thumb, full, st)
			b.Repeat(p.th.Glyphs.Track, bar-full, p.th.Dim)
			b.Space(1)
		}
		b.Text(text, st)
	case l.text == "" && l.stage == unknown:
		b.Text("not known here", st)
	default:
		b.Text(l.text, st)
	}
	b.End(r)
}

// filled returns how many cells show requests: at least one if there is a request, all only if the queue is full.
func filled(l *lane, cells int) int {
	if l.used == 0 || cells <= 0 {
		return 0
	}
	return max(min(l.used*cells/l.slots, cells), 1)
}

// drawShort draws the path in one line, with the note in a second one or where there is room.
func (p *path) drawShort(b *line.Buf, y int) {
	if y > 0 {
		b.Cell(p.short, b.Room(), line.Left, p.noteStyle(true))
		return
	}
	for i := range p.lanes {
		l := &p.lanes[i]
		if i > 0 {
			b.Text(" "+p.arrow()+" ", p.th.Dim)
		}
		text := l.short
		if l.slots > 0 {
			text += fmt.Sprintf(" %d/%d", l.used, l.slots)
		}
		b.Cell(text, min(line.Width(text), 16, b.Room()), line.Left, p.countStyle(l, p.th.Key))
	}
	b.Space(min(2, b.Room()))
	b.Cell(p.short, b.Room(), line.Left, p.noteStyle(true))
}

// diagramActions are the keys while the diagram of the last request's steps has the screen.
var diagramActions = []screen.Action[*Screen]{
	screen.On(&keymap.Steps.Play, func(s *Screen) tea.Cmd { s.steps.Toggle(s.now()); return nil }).When(hasSteps),
	screen.On(&keymap.Steps.Next, func(s *Screen) tea.Cmd { s.steps.Step(1); return nil }).When(hasSteps),
	screen.On(&keymap.StepOn, func(s *Screen) tea.Cmd { s.steps.Step(1); return nil }).When(hasSteps),
	screen.On(&keymap.Steps.Prev, func(s *Screen) tea.Cmd { s.steps.Step(-1); return nil }).When(hasSteps),
	screen.On(&keymap.Steps.Show, toggleDiagram),
	screen.On(&keymap.Form.Submit, (*Screen).post).When(hasQueue),
	screen.On(&keymap.Post.Repeat, (*Screen).repeat).When(hasLast),
	screen.On(&keymap.Post.Other, (*Screen).otherQP).When(hasOther),
	screen.On(&keymap.Explain, explainSteps),
	screen.On(&keymap.List.Back, leaveDiagram),
}

func hasSteps(s *Screen) bool { _, ok := s.steps.Request(); return ok }

// toggleDiagram shows the steps of the last request on the whole screen, from the first step on, or all panes again.
func toggleDiagram(s *Screen) tea.Cmd {
	if s.req.qp == "" {
		return screen.Warn("no queue pair yet: b creates what is missing, 2 goes to Bring-up")
	}
	s.showMemory(false)
	if s.diagram = !s.diagram; s.diagram {
		s.First, s.Count, s.Focus = paneSteps, 1, paneSteps
		s.steps = new(replay.Replay)
		readAgain(s)
	}
	return nil
}

// leaveDiagram ends the zoom, and then the diagram.
func leaveDiagram(s *Screen) tea.Cmd {
	if s.Back() {
		return nil
	}
	return toggleDiagram(s)
}

// readAgain reads memory and the last request in the next frame.
func readAgain(s *Screen) { s.read1, s.readAt = readKey{}, s.readAt.Add(-quiet) }

// tracedQP returns the queue pair whose last request is followed, "" for none.
func tracedQP(s *Screen) string {
	if !s.diagram {
		return ""
	}
	return s.req.qp
}

func stepsBox(s *Screen) *widget.Box {
	box := widget.NewBox(s.th, s.steps.Title(),
		replay.Block(s.th, s.steps, "No send request of "+s.req.qp+" yet. enter posts one."))
	box.Note = s.steps.Note(s.W - len(box.Title) - 10)
	return box
}

// explainSteps explains the operation, or why it failed.
func explainSteps(s *Screen) tea.Cmd {
	req, ok := s.steps.Request()
	switch {
	case !ok:
		return screen.Explain(explain.Lookup("queue pair")...)
	case req.Done && req.Status != 0:
		return screen.Explain(explain.Lookup("status", req.Status.String())...)
	}
	return screen.Explain(explain.Lookup("wr_opcode", req.Opcode.String())...)
}
