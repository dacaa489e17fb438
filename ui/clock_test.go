package ui

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
)

// beats runs the model for a time, as the program does, and returns how often it read
// the session.
func (r *rig) beats(msgs chan tea.Msg, d time.Duration) (n int) {
	var run func(cmd tea.Cmd)
	run = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		go func() {
			msg := cmd()
			if batch, ok := msg.(tea.BatchMsg); ok {
				for _, c := range batch {
					run(c)
				}
				return
			}
			msgs <- msg
		}()
	}
	for end := time.After(d); ; {
		select {
		case <-end:
			return n
		case msg := <-msgs:
			if t, ok := msg.(tick); ok && t.chain == r.app.clock.chain {
				n++
			}
			_, cmd := r.app.Update(msg)
			run(cmd)
		}
	}
}

// An idle screen reads the session four times a second, a busy one at frame rate; a
// key or an event makes it busy at once.
func TestIdleScreenIsCheap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 120, 40)
		r.End()
		defer time.Sleep(time.Second) // lets the last tick end inside the bubble
		msgs := make(chan tea.Msg, 1000)
		msgs <- tick{r.app.clock.chain}
		r.beats(msgs, time.Second)
		if n := r.beats(msgs, 10*time.Second); n != 40 {
			t.Errorf("idle, it looked %d times in 10 s", n)
		}
		for name, msg := range map[string]tea.Msg{"a key": uitest.Key("x"), "an event": nil} {
			if msg == nil {
				r.sess.Timeline().Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "news"}})
			} else {
				msgs <- msg
			}
			if n := r.beats(msgs, 10*frameTime+time.Millisecond); n < 9 {
				t.Errorf("after %s it looked %d times in 10 frames", name, n)
			}
			r.beats(msgs, time.Second)
			if !r.app.clock.idle {
				t.Errorf("after %s it stays lively", name)
			}
		}
	})
}

// Reading something that has not changed does not end idleness; showing something new
// does.
func TestMailThatChangesNothing(t *testing.T) {
	r := newRig(t, 120, 40)
	r.End()
	r.app.View()
	c := &r.app.clock
	for _, m := range []struct {
		msg   tea.Msg
		wakes bool
	}{{nil, false}, {screen.DoneMsg{Line: "x", Err: errors.New("it failed")}, true}} {
		c.idle, c.quiet = true, quietFrames
		r.app.Update(mail{r.app.at, m.msg})
		if c.idle == m.wakes {
			t.Errorf("after %v: idle is %v", m.msg, c.idle)
		}
	}
}
