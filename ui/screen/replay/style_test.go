package replay

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"rdmatui/session/stages"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// named is the name of a style of a theme of uitest.
func named(th *theme.Theme, st theme.Style) string {
	v := reflect.ValueOf(th.Styles)
	for i := range v.NumField() {
		if v.Field(i).Interface().(theme.Style).SGR() == st.SGR() {
			return v.Type().Field(i).Name
		}
	}
	return "none"
}

// contents tells what is in the queues and memories of both hosts, with styles.
func contents(req stages.Request, at time.Duration, w int) (text string) {
	var r Replay
	r.Set(req, began, true)
	r.Refresh(began.Add(time.Duration(float64(at) * r.factor)))
	v := view{th: uitest.Tokens(), r: &r, w: w, h: 20}
	v.look()
	for _, sides := range [][3]side{v.nearSides(), v.farSides()} {
		for _, s := range sides {
			text += s.text + ":" + named(v.th, s.style) + " "
		}
		text += "| "
	}
	return strings.TrimSuffix(text, " | ")
}

// TestContents: a queue or memory is empty until its stage, stands out at that stage, and is plain after it. What the
// request does not use says so; what failed is an error.
func TestContents(t *testing.T) {
	served := notRead
	served.Served = 35 * us
	unknown := without(unheard, stages.Unknown, "", stages.Placed)
	imm := request(verbs.WRRDMAWriteWithImm)
	for _, tt := range []struct {
		name string
		req  stages.Request
		at   time.Duration
		w    int
		want string // SQ, memory, CQ | RQ, memory, CQ of the peer
	}{
		{"SEND posted", request(verbs.WRSend), 0, 80,
			"wr 7:Accent data:Value :Value | RECV:Value :Value :Value"},
		{"SEND built", request(verbs.WRSend), 20 * us, 80,
			"wr 7:Value data:Accent :Value | RECV:Value :Value :Value"},
		{"SEND placed", request(verbs.WRSend), 40 * us, 80,
			"wr 7:Value data:Value :Value | taken:Dim data:Accent CQE OK:Accent"},
		{"SEND acknowledged", request(verbs.WRSend), 50 * us, 80,
			"wr 7:Value data:Value :Value | taken:Dim data:Value CQE OK:Value"},
		{"SEND completed", request(verbs.WRSend), 60 * us, 80,
			"free:Dim data:Value CQE OK:Accent | taken:Dim data:Value CQE OK:Value"},
		{"SEND polled", request(verbs.WRSend), 70 * us, 80,
			"free:Dim data:Value CQE OK:Value | taken:Dim data:Value CQE OK:Value"},
		{"WRITE built", request(verbs.WRRDMAWrite), 20 * us, 80,
			"wr 7:Value data:Accent :Value | unused:Dim :Value unused:Dim"},
		{"WRITE placed", request(verbs.WRRDMAWrite), 40 * us, 80,
			"wr 7:Value data:Value :Value | unused:Dim data:Accent unused:Dim"},
		{"WRITE_IMM placed", imm, 40 * us, 80,
			"wr 7:Value data:Value :Value | taken:Dim data:Accent CQE OK:Accent"},
		{"READ built", request(verbs.WRRDMARead), 20 * us, 80,
			"wr 7:Value :Value :Value | unused:Dim data:Value unused:Dim"},
		{"READ answered", request(verbs.WRRDMARead), 40 * us, 80,
			"wr 7:Value :Value :Value | unused:Dim data:Value unused:Dim"},
		{"READ placed", request(verbs.WRRDMARead), 50 * us, 80,
			"wr 7:Value data:Accent :Value | unused:Dim data:Value unused:Dim"},
		{"bind", bind(), time.Second, 80,
			"free:Dim unused:Dim CQE OK:Value | unused:Dim unused:Dim unused:Dim"},
		{"refused", refused, time.Second, 80,
			"free:Dim data:Value failed:Err | unused:Dim :Value unused:Dim"},
		{"refused, with room", refused, time.Second, 118,
			"free:Dim data:Value REM_ACCESS_ERR:Err | unused:Dim :Value unused:Dim"},
		{"refused, not yet written", refused, 50 * us, 118,
			"wr 7:Value data:Value :Value | unused:Dim :Value unused:Dim"},
		{"READ refused", served, time.Second, 118,
			"free:Dim :Value REM_ACCESS_ERR:Err | unused:Dim data:Value unused:Dim"},
		{"no RECV", noRECV, 0, 118, "wr 7:Accent data:Value :Value | no RECV:Err :Value :Value"},
		{"never arrived", unheard, time.Second, 118,
			"free:Dim data:Value RETRY_EXC_ERR:Err | RECV:Value :Value :Value"},
		{"not known", unknown, time.Second, 118,
			"free:Dim data:Value RETRY_EXC_ERR:Err | RECV:Value ?:Value :Value"},
		{"not known yet", unknown, 30 * us, 118, "wr 7:Value data:Value :Value | RECV:Value :Value :Value"},
		{"pending", pending(), time.Second, 80,
			"wr 7:Value data:Value :Value | ?:Value :Value :Value"},
		{"exactly as wide", refused, time.Second, 110,
			"free:Dim data:Value REM_ACCESS_ERR:Err | unused:Dim :Value unused:Dim"},
	} {
		if got := contents(tt.req, tt.at, tt.w); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

// TestStopped: a request that failed stopped on the way to the stage that it did not reach.
func TestStopped(t *testing.T) {
	read := request(verbs.WRRDMARead)
	unserved := read
	unserved.Served = 0
	for _, tt := range []struct {
		req    stages.Request
		before stages.Stage
		on     lane
	}{
		{request(verbs.WRSend), stages.Posted, none}, {request(verbs.WRSend), stages.Polled, none},
		{request(verbs.WRSend), stages.Fetched, nearSQ}, {request(verbs.WRSend), stages.Built, nearMemory},
		{request(verbs.WRSend), stages.Sent, nearMemory}, {request(verbs.WRSend), stages.Placed, farMemory},
		{request(verbs.WRSend), stages.Acknowledged, wireBack}, {request(verbs.WRSend), stages.CQE, nearCQ},
		{read, stages.Placed, nearMemory}, {unserved, stages.Placed, farMemory},
		{read, stages.Acknowledged, wireBack},
	} {
		on, at := stopped(&tt.req, tt.before)
		if want := map[bool]float64{true: 0, false: 0.5}[tt.on == none]; on != tt.on || at != want {
			t.Errorf("%s before %q: %s at %g, want %s at %g", tt.req.Opcode, tt.before, laneNames[on], at,
				laneNames[tt.on], want)
		}
	}
}

// TestHalves: a READ reaches its peer's memory when the peer says so, even if that seems to be before it was sent, or
// after the answer.
func TestHalves(t *testing.T) {
	for _, tt := range []struct {
		served time.Duration
		want   map[time.Duration]string
	}{
		{35 * us, map[time.Duration]string{34 * us: "sent, far memory 20%", 36 * us: "sent, far memory 20%"}},
		{39 * us, map[time.Duration]string{34 * us: "sent, out 59%", 38 * us: "sent, far memory 56%"}},
		{us, map[time.Duration]string{31 * us: "sent, far memory 64%", 39 * us: "sent, back 13%"}},
		{70 * us, map[time.Duration]string{31 * us: "sent, out 13%", 39 * us: "sent, far memory 64%"}},
	} {
		req := request(verbs.WRRDMARead)
		req.Served = tt.served
		for at, want := range tt.want {
			var r Replay
			r.Set(req, began, true)
			r.Refresh(began.Add(time.Duration(float64(at) * r.factor)))
			if got := where(&r); got != want {
				t.Errorf("served after %s, at %s: %s, want %s", tt.served, at, got, want)
			}
		}
	}
}

// TestDoes: each stage has a sentence that is true of the operation.
func TestDoes(t *testing.T) {
	const pushed, pulled = "wrote the data into memory. No program", "wrote the data of the response into local memory"
	for _, tt := range []struct {
		req   stages.Request
		stage stages.Stage
		want  string
	}{
		{request(verbs.WRSend), stages.Posted, "rang the doorbell"}, {request(verbs.WRRDMARead), stages.Posted, "rang"},
		{request(verbs.WRSend), stages.Fetched, "read the WQE"}, {request(verbs.WRSend), stages.Sent, "left the NIC"},
		{request(verbs.WRSend), stages.Built, "read the data from memory and built the packet"},
		{request(verbs.WRRDMARead), stages.Built, "It carries no data"},
		{request(verbs.WRSend), stages.Placed, "took a RECV and wrote the data into its buffer"},
		{request(verbs.WRRDMAWrite), stages.Placed, pushed},
		{request(verbs.WRRDMAWriteWithImm), stages.Placed, "took a RECV for the immediate value"},
		{request(verbs.WRRDMARead), stages.Placed, pulled}, {request(verbs.WRAtomicWrite), stages.Placed, pushed},
		{request(verbs.WRAtomicFetchAndAdd), stages.Placed, "the old value of the word"},
		{request(verbs.WRAtomicCmpAndSwp), stages.Placed, "the old value of the word"},
		{request(verbs.WRSend), stages.Acknowledged, "The acknowledgement reached"},
		{request(verbs.WRRDMARead), stages.Acknowledged, "The response reached"},
		{refused, stages.Acknowledged, "(NAK)"}, {notRead, stages.Acknowledged, "(NAK)"},
		{noAnswer, stages.Acknowledged, "The acknowledgement reached"}, // it was placed
		{pending(), stages.Acknowledged, "The acknowledgement reached"},
		{request(verbs.WRSend), stages.CQE, "wrote a completion (CQE)"},
		{request(verbs.WRRDMARead), stages.Polled, "took the completion"},
	} {
		if got := Does(&tt.req, tt.stage); !strings.Contains(got, tt.want) {
			t.Errorf("%s %q: %s, want %q", tt.req.Opcode, tt.stage, got, tt.want)
		}
	}
}

// TestSentences: below the steps is what happens now; of a request that waits or failed, why.
func TestSentences(t *testing.T) {
	unsaid := failed(request(verbs.WRSend), verbs.WCRetryExcErr, "", stages.Acknowledged)
	late := refused
	late.Stop = 6 // the completion itself carries the status
	late.Steps[6].Note = "the responder refused the access"
	for _, tt := range []struct {
		req  stages.Request
		at   time.Duration
		want string
		bad  bool
	}{
		{request(verbs.WRSend), 12 * us, "The NIC read the WQE", false},
		{request(verbs.WRSend), time.Second, "The program polled", false},
		{pending(), time.Second, `Waiting for "placed": the peer has not taken it.`, false},
		{pending(), 22 * us, "The NIC read the data", false},
		{refused, time.Second, `REM_ACCESS_ERR: stopped before "placed": the responder refused the access.`, true},
		{refused, 61 * us, "The NIC wrote a completion with the status REM_ACCESS_ERR.", true},
		{refused, 51 * us, "A negative acknowledgement", false},
		{unsaid, time.Second, "The program polled", false},
		{unsaid, 65 * us, "The NIC wrote a completion with the status RETRY_EXC_ERR.", true},
		{late, time.Second, "The program polled", false},
	} {
		var r Replay
		r.Set(tt.req, began, true)
		r.Refresh(began.Add(time.Duration(float64(tt.at) * r.factor)))
		if text, bad := r.Now(); !strings.HasPrefix(text, tt.want) || bad != tt.bad {
			t.Errorf("after %s: %q, wrong %v, want %q, %v", tt.at, text, bad, tt.want, tt.bad)
		}
		th := uitest.Tokens()
		lines := uitest.Marked(t, widget.Render(th, Block(th, &r, ""), 118, 30), tt.want)
		if want := map[bool]string{true: "‹Err›", false: "‹Value›"}[tt.bad]; !strings.Contains(lines, want+tt.want) {
			t.Errorf("after %s: %s, want %s", tt.at, lines, want)
		}
	}
	var none Replay
	th := uitest.Tokens()
	if got := uitest.Marked(t, widget.Render(th, Block(th, &none, "nothing yet"), 60, 9), "nothing"); got !=
		" ‹Dim›nothing yet\n" {
		t.Errorf("no request: %q", got)
	}
	if text, bad := none.Now(); text != "" || bad || none.Note(80) != "" || none.Title() != "steps of a request" {
		t.Errorf("no request: %q, %q, %q", text, none.Note(80), none.Title())
	}
}

// TestMarkedSteps: the current step stands out, those before it are plain, later ones are labels. The step that a
// failed
// request did not reach is an error once it is passed.
func TestMarkedSteps(t *testing.T) {
	th := uitest.Tokens()
	for _, tt := range []struct {
		req  stages.Request
		at   time.Duration
		want string // of each step's name, its time and its note
	}{
		{request(verbs.WRSend), 32 * us, "Value-Value-Dim Value-Value-Dim Value-Value-Dim Accent-Value-Dim " +
			"Label-Dim-Dim Label-Dim-Dim Label-Dim-Dim Label-Dim-Dim"},
		{refused, 32 * us, "Value-Value-Dim Value-Value-Dim Value-Value-Dim Accent-Value-Dim " +
			"Label-Dim-Err Label-Dim-Dim Label-Dim-Dim Label-Dim-Dim"},
		{refused, time.Second, "Value-Value-Dim Value-Value-Dim Value-Value-Dim Value-Value-Dim " +
			"Err-Dim-Err Value-Value-Dim Value-Value-Dim Accent-Value-Dim"},
		{pending(), time.Second, "Value-Value-Dim Value-Value-Dim Value-Value-Dim Accent-Value-Dim " +
			"Label-Dim-Dim Label-Dim-Dim Label-Dim-Dim Label-Dim-Dim"},
	} {
		var r Replay
		for i := range tt.req.Steps {
			tt.req.Steps[i].Note = "because"
		}
		r.Set(tt.req, began, true)
		r.Refresh(began.Add(time.Duration(float64(tt.at) * r.factor)))
		var got []string
		for l := range strings.SplitSeq(widget.Render(th, Block(th, &r, ""), 118, 30), "\n") {
			for i := range tt.req.Steps {
				st := &tt.req.Steps[i]
				of := (&view{th: th}).time(st)
				if !strings.HasPrefix(strings.TrimLeft(uitest.Text(l), "▸✗ "), fmt.Sprintf("%d %s", i+1, st.Stage)) {
					continue
				}
				got = append(got, before(th, l, st.Stage.String())+"-"+before(th, l, of)+"-"+before(th, l, "because"))
			}
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("after %s: %s, want %s", tt.at, text, tt.want)
		}
	}
}

// before is the name of the style of a text in a line.
func before(th *theme.Theme, l, text string) string {
	l, _, _ = strings.Cut(l, text)
	v, at, name := reflect.ValueOf(th.Styles), -1, "none"
	for i := range v.NumField() {
		if n := strings.LastIndex(l, v.Field(i).Interface().(theme.Style).SGR()); n > at {
			at, name = n, v.Type().Field(i).Name
		}
	}
	return name
}
