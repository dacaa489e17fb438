package cm

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// step is a call whose result arrives as an event.
type step struct {
	name   string
	during core.IDState  // the state until then; IDIdle: unchanged
	wait   time.Duration // how long a synchronous call waits for the event
	src    netip.AddrPort
}

// takeStep makes the call that starts a step. In mode sync it waits for the event
// that ends the step.
func takeStep(c *core.Call, i *ID, st step, f func() error) error {
	c.S.Mu.Lock()
	was := i.state
	if st.during != core.IDIdle {
		i.moveLocked(st.during)
	}
	i.begin(st.name, time.Now()) // before the call, since the event may arrive before it returns
	mode := i.ec.mode
	c.S.Mu.Unlock()
	c.S.Changed()
	if err := c.Time(f); err != nil {
		c.S.Mu.Lock()
		i.Forget(st.name)
		if st.during != core.IDIdle && i.state == st.during {
			i.moveLocked(was)
		}
		c.S.Mu.Unlock()
		return err
	}
	followQP(c.S, i, c.Cmd.Spec.Name)
	c.Done.Result = "started; an event reports the result"
	if mode != ModeSync {
		return nil
	}
	return endOfStep(c, i, st)
}

// endOfStep waits for the event that ends a step.
func endOfStep(c *core.Call, i *ID, st step) error {
	begin := time.Now()
	got, err := awaitCM(c.Ctx, c.S, i.ec, st.wait, func(a *arriving) bool {
		return a.id == i && slices.Contains(reactions[a.Type].ends, st.name)
	})
	c.Done.Took += time.Since(begin)
	if err != nil {
		return core.TimeUp(c.Ctx, err, awaitedOf(i, ""), "no event came within %s", format.Span(st.wait))
	}
	managerOf(c.S).seen.Add(got.arriving)
	if bad := failureOf(&got.CMEvent); bad != nil {
		c.Done.Hint = got.Hint
		return bad
	}
	c.Done.Result = "waited for " + describeCM(&got.CMEvent)
	return nil
}

// Error is an event that reports the failure of a step.
type Error struct {
	Type   verbs.CMEventType
	Status int
}

// Error describes the failure in one line.
func (e *Error) Error() string {
	if text := statusText(e.Type, e.Status); text != "" {
		return fmt.Sprintf("%s: %s", e.Type, text)
	}
	return e.Type.String()
}

// failureOf returns the error for an event that reports a failure, nil for another.
func failureOf(e *timeline.CMEvent) error {
	if !e.Failed() {
		return nil
	}
	return &Error{e.Type, e.Status}
}
