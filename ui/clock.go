package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
)

const (
	// frameTime is how often the screen reads the session. Events of the session send no
	// messages, so a flooded CQ costs as much as a quiet one.
	frameTime = 33 * time.Millisecond
	// idleTime is how often an idle screen reads the session: it should cost next to
	// nothing. A key or an event of the session ends idleness at once.
	idleTime = 250 * time.Millisecond
	// quietFrames is the number of frames without a change after which the screen is idle.
	quietFrames = 10
)

// tick starts a frame; ticks of a replaced chain are ignored.
type tick struct{ chain uint64 }

// news reports an event on the session's time line while the screen was idle.
type news struct{}

// clock decides when the screen reads the session.
type clock struct {
	log  *timeline.Log
	ctx  context.Context
	pace pace

	moved    bool // the last frame changed something
	quiet    int  // frames without one
	idle     bool
	chain    uint64 // number of the current chain of ticks
	watching bool   // watch is waiting for an event
}

func (c *clock) start() tea.Cmd { return c.after(frameTime) }

func (c *clock) after(d time.Duration) tea.Cmd {
	chain := c.chain
	return tea.Tick(d, func(time.Time) tea.Msg { return tick{chain} })
}

// next schedules the frame after the current one.
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

// watch waits for an event, or for the end of the program. A busy screen does not
// watch, so a flood wakes no goroutine.
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
	c.chain++ // invalidates the pending tick
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
	case tea.KeyPressMsg:
		a.dirty = true
		return a, tea.Batch(a.key(msg), a.clock.hurry())
	}
	_, cmd := a.take(msg)
	return a, tea.Batch(cmd, a.clock.hurry())
}

// differs draws, and reports whether the view changed. What a screen reads repeatedly,
// such as memory, is mostly unchanged.
func (a *App) differs() bool {
	before := a.view
	a.View()
	return a.view != before
}
