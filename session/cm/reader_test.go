package cm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// provided is a channel of a provider: its events, and errors in their place.
type provided struct {
	verbs.CMEventChannel
	next chan any // a verbs.CMEvent or an error
}

func (p *provided) GetEvent(ctx context.Context) (verbs.CMEvent, error) {
	if err := ctx.Err(); err != nil {
		return verbs.CMEvent{}, err
	}
	select {
	case x := <-p.next:
		if err, ok := x.(error); ok {
			return verbs.CMEvent{}, err
		}
		return x.(verbs.CMEvent), nil
	case <-ctx.Done():
		return verbs.CMEvent{}, ctx.Err()
	}
}

// newReader makes a live session, and a channel of a provider without a reader.
func newReader(t *testing.T, mode Mode) (*core.Session, *EventChannel, *provided) {
	s := core.New(core.Options{Live: true}, core.Wiring{
		Record: func(*core.Session) core.Recorder { return nil },
		Close:  func(*core.Session) error { return nil },
	})
	p := &provided{next: make(chan any, 100)}
	ec := newEventChannel(p, &lister{name: "p"}, mode)
	ec.Node = &core.Node{Name: "events"}
	t.Cleanup(func() {
		ec.StopEvents()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, ec, p
}

// TestReaderStartsAgain: live on restarts a reader that has ended with an error, in each mode that has one.
func TestReaderStartsAgain(t *testing.T) {
	for mode, reads := range map[Mode]bool{ModeEvent: true, ModePoll: true, ModeSync: false} {
		synctest.Test(t, func(t *testing.T) {
			s, ec, p := newReader(t, mode)
			p.next <- errors.New("broken")
			ec.FollowLive(s)
			synctest.Wait()
			p.next <- verbs.CMEvent{Type: verbs.CMAddrChange}
			time.Sleep(time.Second)
			if n := ec.inbox.Len(); n != 0 {
				t.Fatalf("%s: %d events were read after the error", mode, n)
			}
			ec.FollowLive(s)
			time.Sleep(time.Second)
			if n := ec.inbox.Len(); (n == 1) != reads {
				t.Errorf("%s: %d events were read after live on", mode, n)
			}
			notes := 0
			for _, e := range s.Timeline().Snapshot() {
				if e.Note != nil && strings.Contains(e.Note.Text, "reading a channel of p ended: broken") {
					notes++
				}
			}
			if (notes == 1) != reads {
				t.Errorf("%s: %d notes of the error", mode, notes)
			}
		})
	}
}

// TestReaderFollowsLive: live off ends the reader in mode poll only.
func TestReaderFollowsLive(t *testing.T) {
	for mode, want := range map[Mode][2]bool{ModeEvent: {true, true}, ModePoll: {true, false}, ModeSync: {}} {
		synctest.Test(t, func(t *testing.T) {
			s, ec, _ := newReader(t, mode)
			for n, live := range []bool{true, false} {
				s.Live.Store(live)
				ec.FollowLive(s)
				if got := ec.Reading(); got != want[n] {
					t.Errorf("%s, live %v: running is %v", mode, live, got)
				}
			}
		})
	}
}

// TestLiveReaderTakesAllAtOnce: in mode poll the live reader takes all events that are there before it rests, so that
// the time of an event does not depend on the number before it.
func TestLiveReaderTakesAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ec, p := newReader(t, ModePoll)
		ec.FollowLive(s)
		time.Sleep(time.Second) // the reader rests
		for range 60 {
			p.next <- verbs.CMEvent{Type: verbs.CMAddrChange, ID: &providersID{}}
		}
		time.Sleep(queue.RestLast + core.PollPatience)
		synctest.Wait()
		if n := ec.inbox.Len() + len(p.next); n != 60 || len(p.next) != 0 {
			t.Errorf("%d of 60 events were read after one rest", ec.inbox.Len())
		}
	})
}
