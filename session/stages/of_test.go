package stages

import (
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

var began = time.Unix(1_700_000_000, 0)

func after(d time.Duration) time.Time { return began.Add(d) }

// TestTake: what a device recorded of a request, with the number of its packets.
func TestTake(t *testing.T) {
	all := verbs.RequestSteps{
		First: 5, Last: 7, Fetched: after(1), Built: after(2), Sent: after(3), Answered: after(5),
		Placed: after(4), Completed: after(6),
	}
	with := func(change func(*verbs.RequestSteps)) verbs.RequestSteps { st := all; change(&st); return st }
	for name, tt := range map[string]struct {
		f                  facts
		st                 verbs.RequestSteps
		sent, acknowledged string // notes
	}{
		"SEND": {facts{op: verbs.WRSend, done: true}, all, "3 packets", ""},
		"one packet": {facts{op: verbs.WRSend, done: true},
			with(func(st *verbs.RequestSteps) { st.Last = 5 }), "1 packet", ""},
		"across the last PSN": {facts{op: verbs.WRSend, done: true},
			with(func(st *verbs.RequestSteps) { st.First, st.Last = verbs.MaxPSN, 0 }), "2 packets", ""},
		"READ": {facts{op: verbs.WRRDMARead, done: true}, all, "", "3 packets"},
		"sent twice": {facts{op: verbs.WRSend, done: true},
			with(func(st *verbs.RequestSteps) { st.Resent = 1 }), "sent 2 times", ""},
		"refused": {facts{op: verbs.WRSend, done: true, status: verbs.WCRemAccessErr}, all,
			"3 packets", "NAK"},
		"failed": {facts{op: verbs.WRSend, done: true, status: verbs.WCRetryExcErr},
			all, "3 packets", ""},
		"refused, not polled": {facts{op: verbs.WRSend, status: verbs.WCRemAccessErr}, all, "3 packets", ""},
		"refused, no answer": {facts{op: verbs.WRSend, done: true, status: verbs.WCRemAccessErr},
			with(func(st *verbs.RequestSteps) { st.Answered = time.Time{} }), "3 packets", ""},
		"not sent": {facts{op: verbs.WRSend}, with(func(st *verbs.RequestSteps) {
			st.Sent = time.Time{}
		}), "", ""},
		"a READ that is asked": {facts{op: verbs.WRRDMARead},
			with(func(st *verbs.RequestSteps) { st.Answered = time.Time{} }), "", "3 packets"},
	} {
		f := tt.f
		f.take(&tt.st, began)
		for stage, at := range map[Stage]time.Time{Fetched: tt.st.Fetched, Built: tt.st.Built, Sent: tt.st.Sent,
			Acknowledged: tt.st.Answered, Placed: tt.st.Placed, CQE: tt.st.Completed} {
			if f.measured[stage] == at.IsZero() || f.measured[stage] && f.at[stage] != at.Sub(began) {
				t.Errorf("%s: %s measured %v, after %v", name, stage, f.measured[stage], f.at[stage])
			}
		}
		if f.notes[Sent] != tt.sent || f.notes[Acknowledged] != tt.acknowledged {
			t.Errorf("%s: sent %q, acknowledged %q", name, f.notes[Sent], f.notes[Acknowledged])
		}
	}
	var f facts
	if f.set(Sent, -1); f.at[Sent] != 0 || !f.measured[Sent] {
		t.Errorf("before the post: %v", f.at[Sent])
	}
}

// pair is a queue pair that records steps, and teller a provider whose devices record what they serve.
type pair struct {
	verbs.QP
	steps []verbs.RequestSteps
}

func (p pair) Steps() []verbs.RequestSteps { return p.steps }
func (p pair) RecordSteps(bool)            {}

type teller struct {
	verbs.Provider
	served   []verbs.ServedRequest
	recorded bool
}

func (p teller) Served(verbs.GID, verbs.QPN) ([]verbs.ServedRequest, bool) {
	return p.served, p.recorded
}

// TestAsk finds a request among the recorded ones: the newest with its wr_id, posted and taken while it was under way.
func TestAsk(t *testing.T) {
	step := func(id uint64, fetched time.Duration, last verbs.PSN) verbs.RequestSteps {
		return verbs.RequestSteps{WRID: id, Fetched: after(fetched), Last: last}
	}
	for name, tt := range map[string]struct {
		done  bool
		steps []verbs.RequestSteps
		want  verbs.PSN // 0: none
	}{
		"none":           {true, nil, 0},
		"another":        {true, []verbs.RequestSteps{step(8, 150, 1)}, 0},
		"the newest":     {true, []verbs.RequestSteps{step(7, 150, 1), step(7, 160, 2), step(8, 170, 3)}, 2},
		"at the post":    {true, []verbs.RequestSteps{step(7, 100, 1)}, 1},
		"before":         {true, []verbs.RequestSteps{step(7, 99, 1)}, 0},
		"at the poll":    {true, []verbs.RequestSteps{step(7, 200, 1)}, 1},
		"after the poll": {true, []verbs.RequestSteps{step(7, 150, 1), step(7, 201, 2)}, 1},
		"not polled":     {false, []verbs.RequestSteps{step(7, 201, 2)}, 2},
	} {
		f := facts{op: verbs.WRSend, done: tt.done}
		f.set(Polled, 100)
		r := Request{QP: "a", WRID: 7, Posted: 100}
		f.ask(&core.Session{Start: began}, &r, &queue.QP{QP: pair{steps: tt.steps}})
		got := verbs.PSN(0)
		for _, st := range tt.steps {
			if f.recorded && st.Fetched.Sub(after(100)) == f.at[Fetched] {
				got = st.Last
			}
		}
		if f.recorded != (tt.want != 0) || got != tt.want {
			t.Errorf("%s: recorded %v, fetched after %v", name, f.recorded, f.at[Fetched])
		}
	}
	f := facts{}
	if f.ask(&core.Session{}, &Request{}, &queue.QP{}); f.recorded {
		t.Error("a device that records nothing")
	}
}

// TestHear finds what the peer's device recorded: the newest with the last packet's number.
func TestHear(t *testing.T) {
	served := func(last verbs.PSN, at time.Duration, from verbs.QPN) verbs.ServedRequest {
		return verbs.ServedRequest{Last: last, At: after(at), From: from}
	}
	for name, tt := range map[string]struct {
		op     verbs.WROpcode
		typ    verbs.QPType
		served []verbs.ServedRequest
		want   time.Duration // 0: none
	}{
		"none":    {verbs.WRSend, verbs.RC, nil, 0},
		"another": {verbs.WRSend, verbs.RC, []verbs.ServedRequest{served(4, 50, 0)}, 0},
		"the newest": {verbs.WRSend, verbs.RC,
			[]verbs.ServedRequest{served(5, 50, 0), served(5, 60, 0), served(6, 70, 0)}, 60},
		"before the request": {verbs.WRSend, verbs.RC, []verbs.ServedRequest{served(5, 9, 0)}, 0},
		"with the request":   {verbs.WRSend, verbs.RC, []verbs.ServedRequest{served(5, 10, 0)}, 10},
		"READ":               {verbs.WRRDMARead, verbs.RC, []verbs.ServedRequest{served(5, 50, 0)}, 50},
		"datagram":           {verbs.WRSend, verbs.UD, []verbs.ServedRequest{served(5, 50, 0), served(5, 60, 3)}, 50},
	} {
		s := &core.Session{}
		s.Opts.Providers = []verbs.Provider{struct{ verbs.Provider }{}, teller{recorded: true},
			teller{served: tt.served}}
		f, r := facts{op: tt.op, typ: tt.typ}, Request{QP: "gone"}
		f.hear(s, &r, &verbs.RequestSteps{Last: 5, Fetched: after(10)}, began)
		at := f.at[Placed]
		if Pulls(tt.op) {
			at = r.Served
			if f.notes[Acknowledged] != ", executed there after 50 ns" {
				t.Errorf("%s: %q", name, f.notes[Acknowledged])
			}
		}
		if at != tt.want || !f.near || f.measured[Placed] != (tt.want > 0 && !Pulls(tt.op)) {
			t.Errorf("%s: after %v, near %v", name, at, f.near)
		}
	}
	s := &core.Session{}
	s.Opts.Providers = []verbs.Provider{teller{}}
	var f facts
	if f.hear(s, &Request{}, &verbs.RequestSteps{}, began); f.near {
		t.Error("a peer that nobody records is near")
	}
}

// TestRequestSteps: a step by its stage, whether it happened, and whether two values are of one request.
func TestRequestSteps(t *testing.T) {
	r := Request{QP: "a", WRID: 1, Posted: 5}
	for i, stage := range order(verbs.WRRDMARead) {
		r.Steps[i].Stage = stage
	}
	for stage := range Stages {
		if got := r.Step(stage); got == nil || got.Stage != stage {
			t.Errorf("%s: %+v", stage, got)
		}
	}
	if r.Step(Stages) != nil {
		t.Error("a step of no stage")
	}
	for source, want := range map[Source]bool{Unknown: false, Inferred: true, Measured: true,
		Absent: false, NotReached: false} {
		if s := (Step{Source: source}); s.Happened() != want {
			t.Errorf("%s: happened %v", source, s.Happened())
		}
	}
	for _, tt := range []struct {
		other Request
		want  bool
	}{{Request{QP: "a", WRID: 1, Posted: 5, Done: true}, true}, {Request{QP: "b", WRID: 1, Posted: 5}, false},
		{Request{QP: "a", WRID: 2, Posted: 5}, false}, {Request{QP: "a", WRID: 1, Posted: 6}, false}} {
		if r.Is(&tt.other) != tt.want {
			t.Errorf("%+v", tt.other)
		}
	}
	for _, tt := range []struct {
		status, before verbs.WCStatus
		want           bool
	}{{verbs.WCSuccess, verbs.WCSuccess, true}, {verbs.WCWRFlushErr, verbs.WCSuccess, true},
		{verbs.WCWRFlushErr, verbs.WCRemAccessErr, false}, {verbs.WCRemAccessErr, verbs.WCRemAccessErr, true}} {
		if got := Counts(&timeline.Completion{WC: verbs.WC{Status: tt.status}}, tt.before); got != tt.want {
			t.Errorf("%s after %s counts: %v", tt.status, tt.before, got)
		}
	}
}
