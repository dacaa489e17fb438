package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
)

const (
	// frameTime is how often the screen looks at the session. Nothing that happens
	// there is a message: a flooded CQ costs as much as a quiet one.
	frameTime = 33 * time.Millisecond
	// idleTime is how often it looks while nothing changes: an idle screen is to cost
	// next to nothing. A key and an event of the session end that at once.
	idleTime = 250 * time.Millisecond
	// quietFrames is how many frames without a change make the screen idle.
	quietFrames = 10
)

// tick is a frame; those of a chain that was replaced do nothing.
type tick struct{ chain uint64 }

// news says that the session's time line has an event, while the screen was idle.
type news struct{}

// clock says when the screen looks at the session.
type clock struct {
	log  *timeline.Log
	ctx  context.Context
	pace pace

	moved    bool // the last look has found a change
	quiet    int  // frames without one
	idle     bool
	chain    uint64 // the ticks that count
	watching bool   // a news is to come
}

func (c *clock) start() tea.Cmd { return c.after(frameTime) }

func (c *clock) after(d time.Duration) tea.Cmd {
	chain := c.chain
	return tea.Tick(d, func(time.Time) tea.Msg { return tick{chain} })
}

// next returns the next frame after one.
func (c *clock) next() tea.Cmd {
	if c.quiet++; c.moved {
		c.quiet = 0
	}
	if c.idle = c.quiet >= quietFrames; c.idle {
		c.pace.set(idleDraw)
		return tea.Batch(c.after(idleTime), c.watch())
	}
	c.pace.set(drawTime)
	return c.after(frameTime)
}

// watch waits for an event, or for the end of the program. While the screen is busy
// nobody waits, so that a flood wakes nobody.
func (c *clock) watch() tea.Cmd {
	if c.watching {
		return nil
	}
	c.watching = true
	marks, stop := c.log.Watch()
	return func() tea.Msg {
		defer stop()
		select {
		case <-marks:
			return news{}
		case <-c.ctx.Done():
			return nil
		}
	}
}

// hurry ends idleness.
func (c *clock) hurry() tea.Cmd {
	c.quiet = 0
	if !c.idle {
		return nil
	}
	c.idle = false
	c.pace.set(soonTime)
	c.chain++ // the tick that is on its way comes too late
	return c.after(frameTime)
}

// Update implements tea.Model.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tick:
		if msg.chain != a.clock.chain {
			return a, nil
		}
		cmd := a.refresh()
		return a, tea.Batch(cmd, a.clock.next())
	case news:
		a.clock.watching = false
		return a, tea.Batch(a.refresh(), a.clock.hurry())
	case mail:
		cmd := a.deliver(msg)
		if !a.differs() {
			return a, cmd
		}
		return a, tea.Batch(cmd, a.clock.hurry())
	}
	_, cmd := a.take(msg)
	return a, tea.Batch(cmd, a.clock.hurry())
}

// differs draws, and reports whether that has changed anything. What a screen reads again
// and again, such as memory, is mostly as it was.
func (a *App) differs() bool {
	before := a.view
	a.View()
	return a.view != before
}
