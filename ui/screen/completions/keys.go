package completions

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if s.typing != noEntry {
			return s.typeKey(msg)
		}
		return s.key(msg)
	case tea.PasteMsg:
		if s.typing != noEntry {
			s.input.Update(msg)
			s.filterAsTyped()
		}
	case screen.DoneMsg:
		return s.tell(msg)
	}
	return nil
}

// run carries out a line that changes what may not be in sight; tell says then what
// came of it: what is given, or else the line's result.
func (s *Screen) run(text, said string) tea.Cmd {
	s.ran, s.said = true, said
	return s.env.Exec(text)
}

// tell says what came of a line that was run here; root tells of one that failed.
func (s *Screen) tell(msg screen.DoneMsg) tea.Cmd {
	if msg.Typed || !s.ran {
		return nil
	}
	s.ran = false
	text := cmp.Or(s.said, msg.Done.Result)
	if msg.Err != nil || text == "" {
		return nil
	}
	return screen.Send(screen.FlashMsg{Text: text})
}

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	for _, a := range actions {
		if keymap.Matches(k, *a.key) {
			return a.do(s)
		}
	}
	if s.focus == paneQueues {
		return s.queueKey(k)
	}
	if s.focus == paneDetail {
		s.detail.text.Update(k)
		s.detail.fields.Update(k)
		return nil
	}
	if s.table.Update(k) {
		s.followCursor()
		s.retitle()
	}
	return nil
}

// typeKey gives a key to the line that is being typed.
func (s *Screen) typeKey(k tea.KeyPressMsg) tea.Cmd {
	e := &keymap.Entry
	switch what := s.typing; {
	case keymap.Matches(k, e.Accept):
		s.typing = noEntry
		if what == exportEntry {
			return s.export(s.input.Value())
		}
	case keymap.Matches(k, e.Cancel):
		s.typing = noEntry
		if what == filterEntry {
			s.setFilter("")
		}
	default:
		s.input.Update(k)
		s.filterAsTyped()
	}
	return nil
}

func (s *Screen) filterAsTyped() {
	if v := s.input.Value(); s.typing == filterEntry && v != s.filter {
		s.setFilter(v)
	}
}

func (s *Screen) ask(what entry, value string) tea.Cmd {
	s.typing = what
	s.input.SetValue(value)
	return nil
}

// explain asks for all that is known of the selected completion's status.
func (s *Screen) explain() tea.Cmd {
	if s.selected() == nil {
		return screen.Explain()
	}
	d := s.detail
	return screen.Explain(explained.Event(&d.event, d.posts.of(&d.event.WC).line, d.session)...)
}

func (s *Screen) togglePause() tea.Cmd {
	s.paused = !s.paused
	s.retitle()
	return nil
}

func (s *Screen) toggleFailed() tea.Cmd {
	s.failedOnly = !s.failedOnly
	s.showList()
	return nil
}

// back ends what narrows the view, one at a time.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.zoom:
		s.zoom = false
	case s.focus != paneTable:
		s.focus = paneTable
	case s.filter != "":
		s.setFilter("")
	case s.failedOnly:
		return s.toggleFailed()
	}
	return nil
}

func (s *Screen) clear() tea.Cmd {
	s.feed.clear()
	s.showList()
	return nil
}

func (s *Screen) step(by pane) tea.Cmd {
	s.focus = (s.focus + by) % panes
	return nil
}

func (s *Screen) toggleLive() tea.Cmd {
	if s.queues.live {
		return s.run("live off", "")
	}
	return s.run("live on", "")
}

// queueKey selects another queue.
func (s *Screen) queueKey(k tea.KeyPressMsg) tea.Cmd {
	switch l := &keymap.List; {
	case keymap.Matches(k, l.Up):
		s.queues.move(-1)
	case keymap.Matches(k, l.Down):
		s.queues.move(1)
	}
	return nil
}

// nextWay has the selected queue's completions taken in the next way that it has.
func (s *Screen) nextWay() tea.Cmd {
	c := s.queues.selected()
	if c == nil {
		return noQueue()
	}
	at := slices.Index(session.CQModes, c.mode)
	for range session.CQModes {
		at = (at + 1) % len(session.CQModes)
		if c.channel != "" || !session.CQModes[at].WithEvents() {
			break
		}
	}
	return s.takeBy(c, session.CQModes[at], c.solicited && session.CQModes[at].WithEvents(), "")
}

// toggleSolicited has only solicited completions raise events, or all.
func (s *Screen) toggleSolicited() tea.Cmd {
	c := s.queues.selected()
	switch {
	case c == nil:
		return noQueue()
	case c.channel == "":
		return noChannel()
	case !c.mode.WithEvents():
		return screen.Send(screen.FlashMsg{Level: timeline.LevelWarn, Text: c.name + " is polled, and no event is asked for: w chooses a way with events"})
	}
	said := c.name + ": every completion raises an event"
	if !c.solicited {
		said = c.name + ": only completions that are solicited or failed raise an event"
	}
	return s.takeBy(c, c.mode, !c.solicited, said)
}

func (s *Screen) takeBy(c *queue, mode session.CQMode, solicited bool, said string) tea.Cmd {
	text := "cq_mode " + c.name + " mode=" + mode.String()
	if solicited {
		text += " solicited_only=1"
	}
	return s.run(text, said)
}

func noQueue() tea.Cmd {
	return screen.Send(screen.FlashMsg{Level: timeline.LevelWarn, Text: "there is no completion queue"})
}

// arm asks for an event of the selected completion's queue, or of the first
// queue that has a channel.
func (s *Screen) arm() tea.Cmd {
	name := ""
	if c := s.selected(); c != nil {
		name = c.CQ
	}
	for i := range s.queues.list {
		if q := &s.queues.list[i]; q.channel != "" && (name == "" || q.name == name) {
			return s.run("req_notify_cq "+q.name, q.name+": armed")
		}
	}
	return noChannel()
}

const noChannelText = "there is no event to ask for: the completion queue was made without channel="

func noChannel() tea.Cmd {
	return screen.Send(screen.FlashMsg{Level: timeline.LevelWarn, Text: noChannelText})
}
