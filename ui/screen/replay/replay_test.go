package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rdmatui/session/stages"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// began is when the replays of the tests begin.
var began = time.Unix(1_700_000_000, 0)

const us = time.Microsecond

// request is one whose steps take 10 µs each, all measured, in the order of its operation.
func request(op verbs.WROpcode) stages.Request {
	r := stages.Request{
		QP: "a", Device: "soft0", Peer: "b", Type: verbs.RC, Opcode: op, WRID: 7, Posted: time.Second,
		Done: true, Stop: -1,
	}
	order := []stages.Stage{stages.Posted, stages.Fetched, stages.Built, stages.Sent, stages.Placed,
		stages.Acknowledged, stages.CQE, stages.Polled}
	if stages.Pulls(op) {
		order[4], order[5] = stages.Acknowledged, stages.Placed
		r.Served = 35 * us
	}
	for i, s := range order {
		r.Steps[i] = stages.Step{Stage: s, Source: stages.Measured, After: time.Duration(i) * 10 * us}
	}
	return r
}

// without makes stages of a request something else than measured.
func without(r stages.Request, source stages.Source, note string, which ...stages.Stage) stages.Request {
	for _, s := range which {
		*r.Step(s) = stages.Step{Stage: s, Source: source, Note: note}
	}
	return r
}

// failed makes it fail at a stage.
func failed(r stages.Request, status verbs.WCStatus, why string, at stages.Stage,
	later ...stages.Stage) stages.Request {
	r = without(without(r, stages.NotReached, "", later...), stages.NotReached, why, at)
	r.Status = status
	for i := range r.Steps {
		if r.Steps[i].Stage == at {
			r.Stop = i
		}
	}
	return r
}

// datagram is an unreliable SEND, which completes before it has arrived.
func datagram() stages.Request {
	r := without(request(verbs.WRSend), stages.Absent, "UD has no acknowledgements", stages.Acknowledged)
	r.Type = verbs.UD
	return r
}

// onNIC is a request on a device that reports nothing: all but its post and its poll is inferred.
func onNIC(op verbs.WROpcode) stages.Request {
	r := without(request(op), stages.Inferred, "precedes the completion", stages.Fetched, stages.Built, stages.Sent,
		stages.Placed, stages.Acknowledged, stages.CQE)
	r.Device, r.Served = "mlx5_0", 0
	return r
}

func bind() stages.Request {
	return without(request(verbs.WRBindMW), stages.Absent, "executed by the device itself", stages.Built, stages.Sent,
		stages.Placed, stages.Acknowledged)
}

func pending() stages.Request {
	r := failed(request(verbs.WRSend), verbs.WCSuccess, "the peer has not taken it", stages.Placed, stages.Acknowledged,
		stages.CQE, stages.Polled)
	r.Done = false
	r.Step(stages.Sent).Note = "sent 1,204 times"
	return r
}

var (
	refused = failed(request(verbs.WRRDMAWrite), verbs.WCRemAccessErr,
		"the responder refused the access", stages.Placed)
	notRead = failed(request(verbs.WRRDMARead), verbs.WCRemAccessErr,
		"the responder refused the access", stages.Placed)
	unheard = failed(request(verbs.WRSend), verbs.WCRetryExcErr, "no response; retries exhausted",
		stages.Placed, stages.Acknowledged)
	noAnswer = failed(request(verbs.WRSend), verbs.WCRetryExcErr,
		"no response; retries exhausted", stages.Acknowledged)
	notOurs = failed(request(verbs.WRSend), verbs.WCLocProtErr, "its local memory does not allow it", stages.Built,
		stages.Sent, stages.Placed, stages.Acknowledged)
	noRECV    = failed(request(verbs.WRSend), verbs.WCRNRRetryExcErr, "the peer had no RECV", stages.Placed)
	laneNames = [lanes]string{
		none: "NIC", nearSQ: "SQ", nearMemory: "memory", nearCQ: "CQ", wireOut: "out", wireBack: "back",
		farRQ: "far RQ", farMemory: "far memory", farCQ: "far CQ",
	}
)

// where tells the last step, and on which lane, in percent from its left end, the request is on its way to the next.
func where(r *Replay) string {
	v := view{th: theme.New("none", true), r: r, w: 80, h: 20}
	v.look()
	text := v.req.Steps[v.step].Stage.String()
	if v.on != none {
		text += fmt.Sprintf(", %s %.0f%%", laneNames[v.on], 100*v.at)
	}
	if v.bad != none {
		text += ", stopped at " + laneNames[v.bad]
	}
	return text
}

// TestWay follows each kind of request through its replay, by a clock that is passed in.
func TestWay(t *testing.T) {
	notRead := notRead
	notRead.Served = 0
	for name, tt := range map[string]struct {
		req  stages.Request
		want map[time.Duration]string // by the time of the request
	}{
		"SEND": {request(verbs.WRSend), map[time.Duration]string{
			0: "posted", 5 * us: "posted, SQ 50%", 10 * us: "fetched", 15 * us: "fetched, memory 50%", 25 * us: "built",
			30 * us: "sent", 33 * us: "sent, out 40%",
			39 * us: "sent, far memory 60%", 40 * us: "placed", 42 * us: "placed, back 80%",
			48 * us: "placed, back 20%", 55 * us: "acknowledged, CQ 50%", 65 * us: "CQE written",
			70 * us: "polled", time.Hour: "polled",
		}},
		"WRITE": {request(verbs.WRRDMAWrite), map[time.Duration]string{
			15 * us: "fetched, memory 50%", 33 * us: "sent, out 40%", 40 * us: "placed",
			45 * us: "placed, back 50%", 60 * us: "CQE written",
		}},
		"WRITE_IMM": {request(verbs.WRRDMAWriteWithImm),
			map[time.Duration]string{33 * us: "sent, out 40%", 45 * us: "placed, back 50%"}},
		"READ": {request(verbs.WRRDMARead), map[time.Duration]string{
			15 * us: "fetched", 32 * us: "sent, out 53%", 35 * us: "sent, far memory 100%", 37 * us: "sent, back 80%",
			40 * us: "acknowledged", 45 * us: "acknowledged, memory 50%",
			50 * us: "placed", 55 * us: "placed, CQ 50%",
		}},
		"compare and swap": {request(verbs.WRAtomicCmpAndSwp), map[time.Duration]string{
			35 * us: "sent, far memory 100%", 45 * us: "acknowledged, memory 50%", 52 * us: "placed, CQ 80%"}},
		"fetch and add": {request(verbs.WRAtomicFetchAndAdd),
			map[time.Duration]string{35 * us: "sent, far memory 100%", 45 * us: "acknowledged, memory 50%"}},
		"atomic write": {request(verbs.WRAtomicWrite),
			map[time.Duration]string{33 * us: "sent, out 40%", 45 * us: "placed, back 50%"}},
		"datagram": {datagram(),
			map[time.Duration]string{33 * us: "sent, out 40%", 45 * us: "placed, CQ 75%", 70 * us: "polled"}},
		// a long wait is cut
		"bind": {bind(), map[time.Duration]string{5 * us: "posted, SQ 50%", 35 * us: "fetched, CQ 38%"}},
		"on a NIC": {onNIC(verbs.WRSend), map[time.Duration]string{5 * us: "posted, SQ 50%",
			33 * us: "sent, out 40%", 45 * us: "placed, back 50%", 70 * us: "polled"}},
		"READ on a NIC": {onNIC(verbs.WRRDMARead),
			map[time.Duration]string{35 * us: "sent, far memory 100%", 45 * us: "acknowledged, memory 50%"}},

		"refused": {refused, map[time.Duration]string{35 * us: "sent, out 50%", 45 * us: "sent, back 50%",
			50 * us: "acknowledged, stopped at far memory", 70 * us: "polled, stopped at far memory"}},
		"READ refused": {notRead, map[time.Duration]string{35 * us: "sent, out 100%", 40 * us: "acknowledged",
			60 * us: "CQE written, stopped at far memory"}},
		"no RECV": {noRECV,
			map[time.Duration]string{35 * us: "sent, out 50%", 70 * us: "polled, stopped at far memory"}},
		"never arrived": {unheard,
			map[time.Duration]string{45 * us: "sent, CQ 50%", 60 * us: "CQE written, stopped at far memory"}},
		"no answer": {noAnswer, map[time.Duration]string{33 * us: "sent, out 40%", 50 * us: "placed, CQ 50%",
			70 * us: "polled, stopped at back"}},
		"no local region": {notOurs,
			map[time.Duration]string{20 * us: "fetched, CQ 75%", 70 * us: "polled, stopped at memory"}},
		"pending": {pending(), map[time.Duration]string{25 * us: "built", 30 * us: "sent", time.Hour: "sent"}},
	} {
		for after, want := range tt.want {
			var r Replay
			r.Set(tt.req, began, true)
			r.Refresh(began.Add(time.Duration(float64(after) * r.factor)))
			if got := where(&r); got != want {
				t.Errorf("%s after %s: %s, want %s", name, after, got, want)
			}
		}
	}
}

// TestPlay: a replay moves until its end and then no more, can be paused, continued, played again and stepped.
func TestPlay(t *testing.T) {
	var r Replay
	now := began
	at := func(d time.Duration) time.Time { now = began.Add(d); return now }
	want := func(what string, moved, wantMoved bool, text string) {
		t.Helper()
		if moved != wantMoved || where(&r) != text {
			t.Errorf("%s: moved %v, at %q, want %q", what, moved, where(&r), text)
		}
	}
	if r.Refresh(at(0)) {
		t.Error("nothing moves")
	}
	r.Toggle(now)
	r.Step(1)
	r.Step(-1)
	r.Set(request(verbs.WRSend), now, true)
	if r.Note(80) != "0 ns of 70 µs, shown 50,000 times slower" { // 3.5 s
		t.Error(r.Note(80))
	}
	want("2 s", r.Refresh(at(2*time.Second)), true, "placed")
	if r.Set(request(verbs.WRSend), now, true) {
		t.Error("the same again changed something")
	}
	r.Toggle(at(2250 * time.Millisecond))
	want("paused", r.Refresh(at(9*time.Second)), false, "placed, back 50%")
	r.Toggle(now)
	want("continued", r.Refresh(at(9250*time.Millisecond)), true, "acknowledged")
	want("the end", r.Refresh(at(time.Minute)), true, "polled")
	want("after the end", r.Refresh(at(time.Hour)), false, "polled")
	if r.Note(80) != "70 µs, shown 50,000 times slower" || r.Note(30) != "50,000 times slower" {
		t.Error(r.Note(80), r.Note(30))
	}
	r.Toggle(now)
	want("again", r.Refresh(now.Add(time.Second)), true, "built")
	for _, s := range []struct {
		by   int
		want string
	}{{1, "sent"}, {1, "placed"}, {-1, "sent"}, {-1, "built"}, {-1, "fetched"}, {-1, "posted"},
		{-1, "posted"}, {1, "fetched"}} {
		r.Step(s.by)
		want("step", r.Refresh(now.Add(time.Hour)), false, s.want)
	}
	r.Toggle(now)
	r.Refresh(now.Add(250 * time.Millisecond))
	r.Step(-1)
	want("back to the step that it has left", false, false, "fetched")
	for range 10 {
		r.Step(1)
	}
	want("no further", r.Refresh(now.Add(time.Hour)), false, "polled")
	again := request(verbs.WRSend)
	again.Posted++
	r.Set(again, now, false)
	want("shown, not played", r.Refresh(now.Add(time.Hour)), false, "polled")
}

// TestMore: a request that was waiting is played once it has completed, but not because it was sent again.
func TestMore(t *testing.T) {
	var r Replay
	r.Set(pending(), began, true)
	r.Refresh(began.Add(time.Hour))
	more := pending()
	more.Step(stages.Sent).Note = "sent 1,300 times"
	if !r.Set(more, began, true) || r.Refresh(began.Add(time.Second)) {
		t.Error("it plays again")
	}
	if text, wrong := r.Now(); text != `Waiting for "placed": the peer has not taken it.` || wrong {
		t.Error(text)
	}
	r.Set(request(verbs.WRSend), began, true)
	if !r.Refresh(began.Add(time.Second)) {
		t.Error("it does not play")
	}
}

// TestScale: a replay takes a few seconds, whatever the request took, and long waits do not hide the other steps.
func TestScale(t *testing.T) {
	for _, tt := range []struct {
		steps []time.Duration // from each step to the next
		note  string
	}{
		{[]time.Duration{1 * us, 2 * us, 1 * us, 5 * us, 5 * us, 1 * us, 3 * us}, "18 µs, shown 200,000 times slower"},
		{[]time.Duration{1 * us, 2 * us, 1 * us, 5 * us, 5 * us, 1 * us, 9000 * us},
			"9.02 ms, shown 100,000 times slower, waits cut"},
		{[]time.Duration{1 * us, 2 * us, 1 * us, time.Second, 5 * us, 1 * us, 9000 * us},
			"1.01 s, shown 50,000 times slower, waits cut"},
		{[]time.Duration{0, 0, 0, 0, 0, 0, 500 * us}, "500 µs, shown 10,000 times slower"},
		{[]time.Duration{time.Second, time.Second, time.Second, time.Second, time.Second, 0, 0},
			"5 s, shown in real time"},
		{[]time.Duration{9 * time.Second, time.Second, 9 * time.Second, time.Second, time.Second, 0, 0},
			"21 s, shown 5 times faster"},
		{make([]time.Duration, 7), ""},
	} {
		req := request(verbs.WRSend)
		for i, d := range tt.steps {
			req.Steps[i+1].After = req.Steps[i].After + d
		}
		var r Replay
		if r.Set(req, began, false); r.Note(80) != tt.note {
			t.Errorf("%v: %s, want %s", tt.steps, r.Note(80), tt.note)
		}
		if took := time.Duration(float64(r.end()) * r.factor); took > playTime {
			t.Errorf("%v: plays for %s", tt.steps, took)
		}
	}
}

// TestGolden draws requests in the middle of their way and at their end.
func TestGolden(t *testing.T) {
	for name, tt := range map[string]struct {
		req stages.Request
		at  time.Duration
	}{
		"send": {request(verbs.WRSend), 34 * us}, "write": {request(verbs.WRRDMAWrite), 44 * us},
		"read": {request(verbs.WRRDMARead), 37 * us}, "swap": {request(verbs.WRAtomicCmpAndSwp), time.Second},
		"datagram": {datagram(), 33 * us}, "bind": {bind(), time.Second}, "refused": {refused, time.Second},
		"no RECV": {noRECV, time.Second}, "no answer": {noAnswer, time.Second},
		"pending": {pending(), time.Second}, "on a NIC": {onNIC(verbs.WRSend), 47 * us},
	} {
		t.Run(name, func(t *testing.T) {
			var r Replay
			r.Set(tt.req, began, true)
			r.Refresh(began.Add(time.Duration(float64(tt.at) * r.factor)))
			var out strings.Builder
			for _, size := range [][2]int{{78, 17}, {58, 8}, {118, 30}} {
				view := widget.Render(theme.New("none", true), Block(theme.New("none", true), &r, ""), size[0], size[1])
				uitest.Fits(t, view, size[0], size[1])
				fmt.Fprintf(&out, "%d x %d: %s, %s\n%s\n", size[0], size[1], r.Title(), r.Note(60),
					strings.TrimRight(uitest.Text(view), "\n"))
			}
			uitest.Golden(t, "", out.String())
		})
	}
}

// TestSizes: nothing overflows at any size, with any glyphs.
func TestSizes(t *testing.T) {
	for _, req := range []stages.Request{request(verbs.WRSend), request(verbs.WRRDMARead), refused, pending(), bind(),
		datagram(), onNIC(verbs.WRSend)} {
		req.QP, req.Peer, req.WRID = "a-queue-pair-with-a-long-name", "203.0.113.77:4791 of another host", 1<<64-1
		for _, unicode := range []bool{true, false} {
			var r Replay
			r.Set(req, began, true)
			r.Refresh(began.Add(time.Second))
			th := theme.New("none", unicode)
			for _, w := range []int{1, 20, 49, 50, 76, 110, 198} {
				for _, h := range []int{1, 3, 7, 8, 12, 13, 16, 20, 58} {
					view := widget.Render(th, Block(th, &r, "nothing yet"), w, h)
					uitest.Fits(t, view, w, h)
					if text := uitest.Text(view); !unicode && strings.ContainsFunc(text, func(c rune) bool {
						return c > '~'
					}) {
						t.Errorf("%dx%d is not ASCII: %s", w, h, text)
					}
				}
			}
		}
	}
}
