package queue

import (
	"context"
	"errors"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// connected is an identifier that has a connection or not.
type connected struct {
	core.Body
	on  bool
	err error
}

func (c *connected) Connected(context.Context, *core.Session) (bool, error) { return c.on, c.err }

// failing is an empty queue that can be polled a number of times.
type failing struct {
	verbs.CQ
	polls int
}

var errPoll = errors.New("the queue is gone")

func (f *failing) Poll([]verbs.WC) (int, error) {
	if f.polls--; f.polls < 0 {
		return 0, errPoll
	}
	return 0, nil
}

// TestPollWhile: poll_cq returns the errors of the queue, also in the poll after the end of a connection, and of the
// connection's check.
func TestPollWhile(t *testing.T) {
	errCheck := errors.New("no events")
	for name, tt := range map[string]struct {
		polls int
		id    connected
		want  error
	}{
		"ended":                 {2, connected{}, nil},
		"check fails":           {1, connected{err: errCheck}, errCheck},
		"first poll fails":      {0, connected{}, errPoll},
		"poll after end fails":  {1, connected{}, errPoll},
		"second poll fails":     {1, connected{on: true}, errPoll},
		"third poll fails, too": {2, connected{on: true}, errPoll},
	} {
		s := &core.Session{}
		s.Graph.Add(&core.Node{Name: "id", Kind: command.KindID, Body: &tt.id})
		q := &CQ{CQ: &failing{polls: tt.polls}}
		q.Node = &core.Node{Name: "cq", Kind: command.KindCQ, Body: q}
		s.Graph.Add(q.Node)
		cmd, err := command.Parse("poll_cq cq n=1 timeout=1h while=id")
		if err != nil {
			t.Fatal(err)
		}
		if err := PollCQ(&core.Call{S: s, Ctx: t.Context(), Cmd: cmd}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

// TestLocalRequests: requests that send no packet take no packet sequence number.
func TestLocalRequests(t *testing.T) {
	s := &core.Session{}
	q := &QP{
		Spec: verbs.QPSpec{QPType: verbs.RC}, PD: &region.PD{Device: &device.Device{}}, Node: &core.Node{Name: "a"},
	}
	q.numbers.next, q.numbers.known, q.numbers.mtu = 100, true, 1024
	for i, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRBindMW, verbs.WRLocalInv, verbs.WRSend} {
		q.PushSend(s, Request{WRID: uint64(i), Opcode: op})
		if want := []verbs.PSN{101, 101, 101, 102}[i]; q.numbers.next != want {
			t.Errorf("after %s the next PSN is %s, want %s", op, q.numbers.next, want)
		}
	}
}

// TestUnpushSends: requests that the provider refused give their packet sequence numbers back.
func TestUnpushSends(t *testing.T) {
	for refused, want := range []verbs.PSN{103, 102, 101, 100, 100} {
		s := &core.Session{}
		q := &QP{
			Spec: verbs.QPSpec{QPType: verbs.RC}, PD: &region.PD{Device: &device.Device{}}, Node: &core.Node{Name: "a"},
		}
		q.numbers.next, q.numbers.known, q.numbers.mtu = 100, true, 1024
		for id := range uint64(3) {
			q.PushSend(s, Request{WRID: id, Opcode: verbs.WRSend})
		}
		q.UnpushSends(s, min(refused, 3))
		if n := len(Messages(s)); q.numbers.next != want || n != 3-min(refused, 3) {
			t.Errorf("%d refused: the next PSN is %s of %d messages, want %s", refused, q.numbers.next, n, want)
		}
		if refused == 4 { // all are forgotten
			q.UnpushSends(s, 0)
			if q.numbers.next != want {
				t.Errorf("the next PSN is %s, want %s", q.numbers.next, want)
			}
		}
	}
}
