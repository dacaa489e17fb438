package completions

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/explained"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok && s.page != nil && !s.Entry.Open() {
		return s.incidentKey(k)
	}
	cmd, taken := s.Input(msg)
	switch msg := msg.(type) {
	case screen.ReadMsg:
		s.reader.Done()
	case overwriteMsg:
		return s.askOverwrite(msg)
	case tea.KeyPressMsg:
		if !taken {
			return s.key(msg)
		}
	case screen.DoneMsg:
		if next, over := s.runner.Take(msg); over || next != nil {
			return next
		}
		return s.tell(msg)
	}
	return cmd
}

// run runs a line whose effect may be out of sight; tell then reports said, or the
// line's result.
func (s *Screen) run(text, said string) tea.Cmd {
	s.ran, s.said = true, said
	return s.env.Exec(text)
}

// tell reports the result of a line run here; root reports a failed one.
func (s *Screen) tell(msg screen.DoneMsg) tea.Cmd {
	if msg.Typed || !s.ran {
		return nil
	}
	s.ran = false
	text := cmp.Or(s.said, msg.Done.Result)
	if msg.Err != nil || text == "" {
		return nil
	}
	return screen.Flash(text)
}

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	if cmd, taken := screen.Do(s, k, actions); taken {
		return cmd
	}
	switch s.Focus {
	case paneQueues:
		return s.queueKey(k)
	case paneDetail:
		s.detail.text.Update(k)
		s.detail.fields.Update(k)
	default:
		if s.table.Update(k) {
			s.chose()
		}
	}
	return nil
}

func (s *Screen) askFilter() tea.Cmd { return s.Entry.Ask(screen.Filter(s.setFilter), s.filter) }

func (s *Screen) askExport() tea.Cmd {
	to := func(format, name string) screen.Choice {
		q := &screen.Question{Label: "write " + format + " to", Done: s.export}
		return screen.Choice{Name: format, Do: func() tea.Cmd { return s.Entry.Ask(q, name) }}
	}
	choices := []screen.Choice{to("JSON", "completions.jsonl"), to("CSV", "completions.csv")}
	if c := s.selected(); c != nil && c.Cause != nil {
		choices = append(choices, s.recordChoice(c.Cause.Incident))
	}
	return s.Entry.Pick("write", choices)
}

// explain explains the status of the selected completion.
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

// back removes the filters of the view, one at a time.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.Back():
	case s.filter != "":
		s.setFilter("")
	case s.handOnly:
		return s.toggleHand()
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

func (s *Screen) undo() tea.Cmd {
	s.feed.undo()
	s.showList()
	return nil
}

// toggleAll shows the statistics of the completion queues, and goes there, or leaves them out again.
func toggleAll(s *Screen) tea.Cmd {
	q := s.queues
	q.all = !q.all
	q.arrange()
	switch {
	case q.all:
		s.Focus = paneQueues
	case s.Focus == paneQueues:
		s.Focus = paneTable
	}
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
		s.chooseQueue(-1)
	case keymap.Matches(k, l.Down):
		s.chooseQueue(1)
	}
	return nil
}

// nextWay switches the selected queue to the next way of taking completions that it
// supports.
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

// toggleSolicited switches between events for solicited completions only and for all.
func (s *Screen) toggleSolicited() tea.Cmd {
	c := s.queues.selected()
	switch {
	case c == nil:
		return noQueue()
	case c.channel == "":
		return noChannel()
	case !c.mode.WithEvents():
		return screen.Warn(c.name + " is polled and requests no events: m selects event mode")
	}
	said := c.name + ": every completion raises an event"
	if !c.solicited {
		said = c.name + ": only solicited or failed completions raise an event"
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
	return screen.Warn("no completion queue yet")
}

// arm requests an event from the selected queue.
func (s *Screen) arm() tea.Cmd {
	switch c := s.queues.selected(); {
	case c == nil:
		return noQueue()
	case c.channel == "":
		return noChannel()
	default:
		return s.run("req_notify_cq "+c.name, c.name+": armed")
	}
}

const noChannelText = "no events: the completion queue was created without channel="

func noChannel() tea.Cmd {
	return screen.Warn(noChannelText)
}
