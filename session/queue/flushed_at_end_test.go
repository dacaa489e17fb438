package queue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// Completions of the fake device's first queue pair: of SENDs with wr_id 2, of RECVs with wr_id 1.
var (
	sent     = verbs.WC{WRID: 2, Status: verbs.WCSuccess, Opcode: verbs.WCSend, QPNum: 17}
	lost     = verbs.WC{WRID: 2, Status: verbs.WCWRFlushErr, QPNum: 17}
	received = verbs.WC{WRID: 1, Status: verbs.WCSuccess, Opcode: verbs.WCRecv, ByteLen: 64, QPNum: 17}
	left     = verbs.WC{WRID: 1, Status: verbs.WCWRFlushErr, QPNum: 17}
)

// flushing returns a session with a connected queue pair that has RECVs posted. Each poll of its completion queue
// returns the next completions.
func flushing(t *testing.T, recvs int, polls [][]verbs.WC) *session.Session {
	t.Helper()
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, fmt.Sprintf(`open_device
alloc_pd pd
reg_mr buf length=64
create_cq cq
create_qp qp max_recv_wr=8
connect_qps qp qp
post_recv qp wr_id=1 sge=buf count=%d`, recvs))
	next := func(wcs []verbs.WC) int {
		if len(polls) == 0 {
			return 0
		}
		n := copy(wcs, polls[0])
		polls = polls[1:]
		if slices.ContainsFunc(wcs[:n], func(wc verbs.WC) bool { return wc.Failed() }) {
			f.Qps[0].SetState(verbs.QPErr)
		}
		return n
	}
	f.Cqs[0].Next.Store(&next)
	return s
}

// TestPingpongFlushedAtEnd: where the queue pair goes to ERR as soon as the peer disconnects, as over iWARP, the
// RECVs that are left complete with WR_FLUSH_ERR, perhaps in one poll with the last messages. Only a message
// that is still due makes that a failure, and either way no RECV stays on the list that is no longer posted.
func TestPingpongFlushedAtEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		before int // RECVs posted by a command of its own; the loop posts more if there is one only
		polls  [][]verbs.WC
		want   string // of the error
		recvs  int    // still posted
	}{
		"none":                           {1, [][]verbs.WC{{received}, {sent, received}, {sent}}, "", 6},
		"after the last completion":      {1, [][]verbs.WC{{received}, {sent, received}, {sent, left, left}}, "", 4},
		"those of another command":       {4, [][]verbs.WC{{received}, {sent, received}, {sent, left}}, "", 1},
		"before the last SEND completes": {1, [][]verbs.WC{{received}, {sent, received, left}, {left, sent}}, "", 4},
		"with the last SEND": {4, [][]verbs.WC{{received}, {sent, received, left}, {lost, left}},
			"wr_id 2 completed with WR_FLUSH_ERR", 0},
		"with a message missing": {4, [][]verbs.WC{{received}, {sent, left, left}},
			"wr_id 1 completed with WR_FLUSH_ERR", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := flushing(t, tt.before, tt.polls)
			done, err := s.Exec(t.Context(), "pingpong qp role=server n=2 size=64")
			if tt.want == "" && err != nil || !strings.Contains(done.Err, tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if got := s.Snapshot().QPs[0].RecvPosted; got != tt.recvs {
				t.Errorf("%d RECVs are posted, want %d", got, tt.recvs)
			}
		})
	}
}

// TestStreamFlushedAtEnd: a queue pair that goes to ERR after the last request of a stream has completed does not fail
// the stream.
func TestStreamFlushedAtEnd(t *testing.T) {
	next, nextLost := sent, lost
	next.WRID, nextLost.WRID = 3, 3
	for name, tt := range map[string]struct {
		polls [][]verbs.WC
		want  string // of the error
	}{
		"none":                     {[][]verbs.WC{{sent}, {next}}, ""},
		"after the last request":   {[][]verbs.WC{{sent}, {next, left, left}}, ""},
		"between the two requests": {[][]verbs.WC{{sent, left}, {nextLost}}, "1 of 2 were posted"},
		"with the last request":    {[][]verbs.WC{{sent}, {left, nextLost}}, "wr_id 3 ended with WR_FLUSH_ERR"},
	} {
		s := flushing(t, 4, tt.polls)
		done, err := s.Exec(t.Context(), "post_send qp SEND wr_id=2 sge=buf count=2 outstanding=1")
		if tt.want == "" && err != nil || !strings.Contains(done.Err, tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
