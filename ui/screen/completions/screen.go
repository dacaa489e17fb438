// Package completions is the screen of work completions: each as it arrives, the
// meaning of its fields, why it failed and where to look next.
package completions

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// The panes.
const (
	paneTable screen.Pane = iota
	paneDetail
	paneQueues
	panes
)

// Screen is the Completions screen.
type Screen struct {
	env *screen.Env
	th  *theme.Theme

	feed       *feed
	table      *widget.Table
	detail     *detail
	queues     *queues
	counts     timeline.Counts
	version    uint64
	drawn      bool
	paused     bool
	failedOnly bool
	handOnly   bool   // only the queue pair in hand
	hand       string // the queue pair in hand, as this screen shows it
	filter     string
	ran        bool          // a key has run a line whose result is to be reported
	said       string        // the report; "": the line's result
	runner     *steps.Runner // of the lines that mend
	page       *incidentPage // shown instead of the panes; nil: none
	reader     screen.Reader
	weighed    uint64           // rows of the list whose retransmissions were counted
	again      map[uint64]spent // packets of requests that were retransmitted, by the number of the completion
	lookedAt   time.Time        // when the progress of requests was read

	screen.Fields
	screen.Panes
}

var _ screen.Screen = (*Screen)(nil)

// New makes the screen and starts keeping failed completions.
func New(env *screen.Env) *Screen {
	log := env.Session.Timeline()
	s := &Screen{env: env, th: env.Theme, feed: newFeed(log), again: map[uint64]spent{}, runner: steps.NewRunner(env)}
	s.table = widget.NewTable(s.th, rows{s.feed.all, s}, tableColumns()...)
	s.table.Tail, s.table.Keeps = true, true
	s.detail = newDetail(s.th, newPosts(log))
	s.detail.again = s.again
	s.detail.packets.since, s.detail.incident = env.Session.PacketsSince, env.Session.Incident
	s.queues = &queues{th: s.th, rate: rate{now: time.Now}}
	s.queues.arrange()
	s.Panes = newPanes(s)
	s.retitle()
	s.Fields = func(name string) string { return tourField(s, name) }
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	if s.Entry.Open() {
		return s.Entry.Context()
	}
	if s.page != nil {
		return keymap.IncidentOpen
	}
	return screen.ContextNow(s, keymap.CompletionsScreen, actions)
}

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd { return nil }

// list is the history that the table shows.
func (s *Screen) list() *history {
	if s.failedOnly {
		return s.feed.failed
	}
	return s.feed.all
}

// Refresh implements screen.Screen. The counters go on while the rows are paused.
func (s *Screen) Refresh(st *screen.State) (bool, tea.Cmd) {
	changed := !s.drawn || st.Session.Version != s.version || st.Counts.ByKind != s.counts.ByKind ||
		s.env.Hand.In(&st.Session) != s.hand
	s.drawn, s.version, s.counts = true, st.Session.Version, st.Counts
	changed = s.queues.rate.sample(st.Counts.WCOK+st.Counts.WCFailed) || changed
	changed = s.takeFills() || changed
	changed = s.weigh() || changed
	if !s.paused {
		var held *history
		if !s.table.Following() {
			held = s.list()
		}
		changed = s.feed.take(held) || changed
	}
	if changed {
		s.detail.session = &st.Session
		s.takeQueues(st)
		s.followHand()
		s.follow()
	}
	s.askForProgress(&st.Session)
	return changed, s.reader.Start()
}

func (s *Screen) takeQueues(st *screen.State) {
	q := s.queues
	wait, _ := steps.Unstall(&st.Session)
	q.live, q.list, q.waits = st.Session.Live, q.list[:0], line.Escape(wait)
	for i := range st.Session.CQs {
		v := &st.Session.CQs[i]
		q.list = append(q.list, queue{
			name: v.Name, channel: v.Channel, cqe: v.CQE, inFlight: v.Outstanding, counts: s.feed.log.CQ(v.Name),
			mode: v.Mode, solicited: v.SolicitedOnly, stats: v.Stats,
			overruns: v.Overruns, needed: entriesNeeded(v.Name, &st.Session),
		})
	}
	s.takeFills()
	q.arrange()
}

// takeFills reads each queue's fill: no event reports a change.
func (s *Screen) takeFills() (changed bool) {
	for i := range s.queues.list {
		c := &s.queues.list[i]
		was := *c
		c.fill, c.peak, c.fillKnown = s.env.Session.CQFill(c.name)
		changed = changed || was.fill != c.fill || was.peak != c.peak
	}
	return changed
}

// entriesNeeded returns how many outstanding requests may complete in a queue.
func entriesNeeded(cq string, v *session.Snapshot) (n int) {
	shared := map[string]bool{} // the receive queues whose requests complete there
	for i := range v.QPs {
		qp := &v.QPs[i]
		if qp.SendCQ == cq {
			n += int(qp.Cap.MaxSendWR)
		}
		switch {
		case qp.RecvCQ != cq:
		case qp.SRQ != "":
			shared[qp.SRQ] = true
		default:
			n += int(qp.Cap.MaxRecvWR)
		}
	}
	for i := range v.SRQs {
		if srq := &v.SRQs[i]; shared[srq.Name] {
			n += int(srq.MaxWR)
		}
	}
	return n
}

// follow shows the completion under the cursor in detail.
func (s *Screen) follow() {
	if i := s.table.Cursor(); i >= 0 {
		s.detail.show(s.list().at(i))
	} else {
		s.detail.show(nil)
	}
	s.detail.takeMend()
	s.retitle()
}

// selected returns the completion under the cursor, nil if there is none.
func (s *Screen) selected() *timeline.Completion {
	if i := s.table.Cursor(); i >= 0 {
		return &s.list().at(i).WC
	}
	return nil
}

// showList sets the table's rows, with the cursor on the newest.
func (s *Screen) showList() {
	s.table.SetRows(rows{s.list(), s})
	s.table.SetCursor(s.list().Len() - 1)
	s.follow()
}

func (s *Screen) setFilter(text string) {
	if text == s.filter {
		return
	}
	s.filter = text
	s.refilter()
}

// refilter applies the typed text and the choice of one queue pair.
func (s *Screen) refilter() {
	var match func(*timeline.Event) bool
	if s.filter != "" {
		match = newMatcher(s.filter).match
	}
	if hand, typed := s.hand, match; s.handOnly {
		match = func(e *timeline.Event) bool { return e.WC.QP == hand && (typed == nil || typed(e)) }
	}
	s.feed.all.filter(match)
	s.feed.failed.filter(match)
	s.showList()
}

// retitle shows in the frame how many of the rows are shown.
func (s *Screen) retitle() {
	total, shown := s.counts.Kind(timeline.KindWC), uint64(s.list().Len())
	if s.failedOnly {
		total = s.counts.WCFailed
	}
	var notes screen.Notes
	notes.Add(s.paused, "paused")
	notes.Add(!s.paused && !s.table.Following(), "end follows")
	notes.Add(s.failedOnly, "failed only")
	notes.Add(s.handOnly, "%s only", line.Escape(s.hand))
	notes.Add(s.filter != "", "/%s", line.Escape(s.filter))
	cleared := s.list().cleared()
	notes.Add(cleared > 0 && shown > 0, "%s cleared", format.Count(uint64(cleared)))
	notes.Add(shown < total, "%s of %s", format.Counted(shown, "row"), format.Count(total))
	s.Boxes[paneTable].Note = notes.String()
	s.table.Empty = s.emptyText(total)
}

func (s *Screen) emptyText(total uint64) string {
	switch {
	case total > 0 && s.filter != "":
		return "No completion matches the filter. esC clears it."
	case total > 0 && s.handOnly:
		return "No completion of " + line.Escape(s.hand) + ". esc shows those of all queue pairs."
	case s.failedOnly && s.list().cleared() > 0:
		return "Nothing has failed since the clear. u brings back " + s.clearedText() + "."
	case s.failedOnly:
		return "Nothing has failed."
	case s.queues.waits != "":
		return "No completion: " + s.queues.waits + "."
	case total > 0:
		return "Cleared: " + s.clearedText() + ". u brings them back."
	}
	return "No completions yet. Post a request (3)."
}

func (s *Screen) clearedText() string { return format.Counted(uint64(s.list().cleared()), "row") }

func (s *Screen) drawCounts(b *line.Buf) { eventline.Completions(b, &s.counts, s.th) }
