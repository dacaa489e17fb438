package post

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen/page"
	"rdmatui/ui/widget/input"
	"rdmatui/verbs"
)

// region returns the selected region: that of the focused pane, else the near one.
func (s *Screen) region() *memory {
	if s.Focus == paneFar {
		return s.far
	}
	return s.near
}

// turnRegion shows the next (1) or previous (-1) region in a pane, until the request
// uses another.
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
	m.chosen = s.snap.MRs[at].Name
	s.turnRegions()
	return nil
}

// chosenOr returns the region that the user selected for a pane, or else the given
// one.
func (m *memory) chosenOr(s *session.Snapshot, mr *session.MRView) *session.MRView {
	if chosen := s.MR(m.chosen); chosen != nil {
		return chosen
	}
	m.chosen = ""
	return mr
}

// jump opens the input of an offset.
func (s *Screen) jump() tea.Cmd {
	if s.Focus == paneForm {
		s.Focus = paneNear
	}
	m := s.region()
	m.jump = input.New(s.th)
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
			return page.Warn(err)
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
		return page.Flash("no region yet: n registers one")
	}
	return page.Edit(fmt.Sprintf(format, m.Name, m.Access))
}

// deregister asks first: the bytes are lost.
func deregister(s *Screen) tea.Cmd {
	name := s.region().mr.Name
	if name == "" {
		return page.Flash("no region yet: n registers one")
	}
	return page.Ask("deregister?", "Deregister the memory region "+name+"?", func() tea.Cmd {
		return s.runner.Start("dereg_mr " + name)
	})
}

// register opens the console with the registration of another region.
func register(s *Screen) tea.Cmd {
	pd := ""
	if q := s.req.queue(); q != nil {
		pd = " pd=" + q.PD
	}
	return page.Edit("reg_mr" + pd + " length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND")
}
