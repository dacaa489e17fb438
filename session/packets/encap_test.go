package packets_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs/verbstest/capturetest"
)

// sent is a frame of a capture.
type sent struct {
	at    time.Time
	frame []byte
}

// framesOf returns what a capture of software devices holds, with Ethernet headers. Of the two records of each packet
// it takes the first.
func framesOf(t *testing.T, path string) (all []sent) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range capturetest.Packets(file) {
		b := p.Bytes
		if seen[string(b)] {
			continue
		}
		seen[string(b)] = true
		kind := []byte{8, 0}
		if b[0]>>4 == 6 {
			kind = []byte{0x86, 0xdd}
		}
		head := slices.Concat([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}, kind)
		all = append(all, sent{p.At, append(head, b...)})
	}
	return all
}

// requestsIn returns the requests of frames that are encapsulated and cut to snap bytes beyond what is added, with what
// became of them, and the marks that only some packets have.
func requestsIn(t *testing.T, frames []sent, e *capturetest.Encapsulation, snap int) (asked []string,
	marks map[string]int) {
	t.Helper()
	var list []capturetest.Packet
	for _, f := range frames {
		list = append(list, capturetest.Packet{At: f.at, Bytes: e.Wrap(f.frame), Cut: max(0, len(f.frame)-snap)})
	}
	r, err := capture.NewReader(bytes.NewReader(capturetest.File(e.Link, list...)))
	if err != nil {
		t.Fatal(err)
	}
	table := conversation.New()
	marks = map[string]int{}
	table.Told = func(_ *conversation.Conversation, _ int, q *conversation.Request) {
		asked = append(asked, fmt.Sprint(q.First, " ", q.Last, " ", q.Asked()))
	}
	var f capture.Frame
	for err = r.Next(&f); err == nil; err = r.Next(&f) {
		m, _ := table.Add(&f)
		for _, name := range (m &^ (conversation.Tunnel | conversation.Cut)).Names() {
			marks[name]++
		}
		if (f.Outer.String() != "") != (e.Outer != "") {
			t.Fatalf("%s: outer headers %q", e.Name, f.Outer)
		}
	}
	table.End()
	if err != io.EOF || r.RoCE != uint64(len(frames)) {
		t.Errorf("%s: %v, %d of %d packets", e.Name, err, r.RoCE, len(frames))
	}
	return asked, marks
}

// TestEncapsulatedScenarios: a scenario has the same requests and the same marks in each encapsulation, and the same
// requests where the capture holds BTHs and no more.
func TestEncapsulatedScenarios(t *testing.T) {
	const whole = 1 << 16
	for _, sc := range scenario.All {
		t.Run(sc.Name, func(t *testing.T) {
			p, path, done := recorded(t)
			server, client := sessiontest.RunBoth(t, p, sc)
			client.Gone(t)
			server.Gone(t)
			done()
			frames := framesOf(t, path)
			want, marks := requestsIn(t, frames, &capturetest.Encapsulations[0], whole)
			if len(want) == 0 && len(frames) == 0 {
				t.Fatal("no packets")
			}
			for i := range capturetest.Encapsulations {
				e := &capturetest.Encapsulations[i]
				got, gotMarks := requestsIn(t, frames, e, whole)
				if !slices.Equal(got, want) || fmt.Sprint(gotMarks) != fmt.Sprint(marks) {
					t.Errorf("%s: %d requests, marks %v, want %d, %v", e.Name, len(got), gotMarks, len(want), marks)
				}
			}
			const bth = 14 + 20 + 8 + 12
			got, gotMarks := requestsIn(t, frames, &capturetest.Encapsulations[0], bth)
			slices.Sort(got)
			slices.Sort(want)
			if gotMarks["malformed"] > 0 || gotMarks["gap"] != marks["gap"] || !slices.Equal(got, want) {
				t.Errorf("cut: marks %v, want %v;\n%q, want\n%q", gotMarks, marks, got, want)
			}
		})
	}
}
