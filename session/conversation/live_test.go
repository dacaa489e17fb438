package conversation

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs/wire"
)

// teller makes the records of a session from short words.
type teller struct {
	*Live
	seq uint64
	at  time.Time
}

// tell adds records: "A>B 5" is sent by A to B with PSN 5, "A>B 5!" arrives there; "5n" is a NAK, "5k" an ACK. "+"
// makes
// the next record a millisecond later, "-" is a record that is missing.
func (x *teller) tell(words string) {
	end := func(name byte) netip.AddrPort {
		return netip.MustParseAddrPort(fmt.Sprintf("10.0.0.%d:4791", name-'A'+1))
	}
	fields := strings.Fields(words)
	for i := 0; i < len(fields); i++ {
		switch fields[i] {
		case "+":
			x.at = x.at.Add(time.Millisecond)
			continue
		case "-":
			x.seq++
			continue
		}
		way, what := fields[i], fields[i+1]
		i++
		p := &timeline.Packet{At: x.at, Src: end(way[0]), Dst: end(way[2]), Outgoing: !strings.HasSuffix(what, "!")}
		p.Device = string(way[2])
		if p.Outgoing {
			p.Device = string(way[0])
		}
		var psn wire.PSN
		var kind string
		fmt.Sscanf(strings.TrimSuffix(what, "!"), "%d%s", &psn, &kind)
		h := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, PSN: psn}, Payload: make([]byte, 4)}
		switch kind {
		case "n":
			h = wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, PSN: psn},
				AETH: wire.AETH{Syndrome: wire.NAK(wire.NAKPSNSequence)}}
		case "k":
			h = wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, PSN: psn},
				AETH: wire.AETH{Syndrome: wire.ACKUnlimited, MSN: 1}}
		}
		h.BTH.DestQP = uint32(way[2])
		p.Data = append(h.Append(nil), 0, 0, 0, 0)
		if err := p.Wire.Decode(p.Data); err != nil {
			panic(err)
		}
		x.seq++
		p.Seq = x.seq
		x.Add([]*timeline.Packet{p})
	}
}

// fates tells what is known of each record.
func (x *teller) fates() string {
	var out []string
	for i := range x.kept {
		r := x.Packet(x.kept[i].n)
		text := ""
		for _, f := range []struct {
			mark Marks
			word string
		}{{Lost, "lost"}, {Again, "again"}, {Twice, "twice"},
			{Gap, "gap"}} {
			if r.Marks.Has(f.mark) {
				text += f.word + " "
			}
		}
		if r.Twin != nil {
			text += fmt.Sprint(r.Twin.N, " ")
		}
		if r.Missed > 0 != r.Marks.Has(Gap) || x.Marks(r.N) != r.Marks {
			text += "wrong marks"
		}
		if text = strings.TrimSpace(text); text == "" {
			text = "."
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// TestFates: a packet is lost if it was sent to an end that is recorded and later ones arrived there, or after a while.
// It is repeated if the same was sent before, and a duplicate if it arrived before.
func TestFates(t *testing.T) {
	const soon, later = 400 * time.Millisecond, 600 * time.Millisecond
	for _, tt := range []struct {
		name, words string
		after       time.Duration
		want        string // of each record, with the number of its twin
	}{
		{"arrives", "A>B 1 A>B 1!", later, "1, 0"},
		{"on its way", "A>B 1 A>B 1! A>B 2", soon, "1, 0, ."},
		{"never arrives", "A>B 1 A>B 1! A>B 2", later, "1, 0, lost"},
		{"to an end that is not recorded", "A>B 1", later, "."},
		{"to an end that has sent", "B>A 9 A>B 1", later, "., lost"}, // A was not known to be recorded before
		{"to an end that has received", "B>A 9 B>A 9! B>A 8", later, "1, 0, lost"},
		{"overtaken", "A>B 1 A>B 1! A>B 2 A>B 3 A>B 3!", 0, "1, 0, lost, 4, 3"},
		{"overtaken and then arrived", "A>B 1 A>B 1! A>B 2 A>B 3 A>B 3! A>B 2!", later, "1, 0, 5, 4, 3, 2"},
		{"overtaken on another way", "A>B 1 A>B 1! B>A 5 A>B 2 A>B 2!", 0, "1, 0, ., 4, 3"},
		{"a record is missing", "A>B 1 A>B 1! A>B 2 - A>B 3 A>B 3!", later, "1, 0, ., gap 4, 3"},
		{"again", "A>B 1 A>B 1! A>B 1 A>B 1!", later, "1, 0, again 3, again 2"},
		{"lost, then again", "B>A 9 A>B 1 + A>B 1 A>B 1!", later, "., lost, again 3, again 2"},
		{"the same NAK again", "B>A 1n B>A 1n", later, "., again"},
		{"an ACK after a NAK", "B>A 1n B>A 1k", later, "., ."},
		{"twice", "A>B 1 A>B 1! A>B 1!", later, "1, 0, twice 0"},
		{"two at once", "A>B 1 A>B 1 A>B 1! A>B 1!", later, "2, again 3, 0, again 1"},
		{"never sent", "A>B 1!", later, "."},
	} {
		x := &teller{Live: NewLive(), at: time.Unix(1, 0)}
		x.tell(tt.words)
		x.Age(x.at.Add(tt.after))
		if got := x.fates(); got != tt.want {
			t.Errorf("%s: %s: %s, want %s", tt.name, tt.words, got, tt.want)
		}
	}
}

// TestRuns: a request that is repeated without end, and its answers, are two records each at either end; the second
// counts the others. What else comes in the conversation ends that.
func TestRuns(t *testing.T) {
	const try, oneEnd = "A>B 1 A>B 1! B>A 1n B>A 1n! ", "A>B 1 B>A 1n! "
	for _, tt := range []struct {
		name, words, want string // the counts of the records
	}{
		{"once", try, "0 0 0 0"},
		{"twice", try + try, "0 0 0 0 0 0 0 0"},
		{"three times", strings.Repeat(try, 3), "0 0 0 0 1 1 1 1"},
		{"a hundred times", strings.Repeat(try, 100), "0 0 0 0 98 98 98 98"},
		{"at one end", strings.Repeat(oneEnd, 100), "0 0 98 98"},
		{"then answered", strings.Repeat(try, 9) + "A>B 1 A>B 1! B>A 1k B>A 1k!", "0 0 0 0 8 8 7 7 0 0"},
		{"then another request", strings.Repeat(oneEnd, 3) + "A>B 2 " + strings.Repeat(oneEnd, 3), "0 0 1 1 0 2 2"},
		{"two requests", strings.Repeat("A>B 1 A>B 2 B>A 1n! ", 5), "0 0 0 3 3 3"},
		{"another conversation between", oneEnd + oneEnd + oneEnd + "C>D 7 " + oneEnd, "0 0 2 2 0"},
		{"lost all", "B>A 9 " + strings.Repeat("A>B 1 ", 8), "0 0 6"},
		{"a record is missing", oneEnd + oneEnd + "- " + oneEnd + oneEnd, "0 0 1 2 0"},
	} {
		x := &teller{Live: NewLive(), at: time.Unix(1, 0)}
		x.tell(tt.words)
		var got []string
		for i := range x.kept {
			r := x.Packet(x.kept[i].n)
			if got = append(got, fmt.Sprint(r.More)); r.Marks.Has(Twice) {
				t.Errorf("%s: record %d is a duplicate", tt.name, i)
			}
		}
		var all uint64 // that were sent, or recorded only where they arrived
		for _, word := range regexp.MustCompile(`\S>\S \S+`).FindAllString(tt.words, -1) {
			if sent, arrived := strings.CutSuffix(word, "!"); !arrived || !strings.Contains(tt.words, sent+" ") {
				all++
			}
		}
		if packets, more := x.Count(); packets+more != all {
			t.Errorf("%s: %d packets and %d repeated are counted of %d", tt.name, packets, more, all)
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
	}
}

// TestRecordsOfOnePacket: a packet that was recorded where it was sent and where it arrived counts once, also if it was
// cleared; a record that says something of its own is no copy, nor one whose packet was cleared before it came.
func TestRecordsOfOnePacket(t *testing.T) {
	for _, tt := range []struct {
		name, words, then string // Clear is called between them
		want              string // of each record: the packet that it is a copy of
		packets, cleared  uint64
	}{
		{"arrives", "A>B 1 A>B 1!", "", ". 0", 1, 0},
		{"never arrives", "A>B 1", "", ".", 1, 0},
		{"never sent", "A>B 1!", "", ".", 1, 0},
		{"sent afterwards", "A>B 1! A>B 1", "", ". .", 2, 0},
		{"twice", "A>B 1 A>B 1! A>B 1!", "", ". 0 .", 2, 0},
		{"again", "A>B 1 A>B 1! A>B 1 A>B 1!", "", ". 0 . 2", 2, 0},
		{"overtaken", "A>B 1 A>B 2 A>B 2! A>B 1!", "", ". . 1 0", 2, 0},
		{"another", "A>B 1 A>B 2!", "", ". .", 2, 0},
		{"after a gap", "A>B 1 - A>B 1!", "", ". .", 2, 0},
		{"cleared", "A>B 1 A>B 1!", "A>B 2 A>B 2!", ". 2", 1, 1},
		{"cleared on its way", "A>B 1", "A>B 1! A>B 2 A>B 2!", ". . 2", 2, 1},
	} {
		x := &teller{Live: NewLive(), at: time.Unix(1, 0)}
		if x.tell(tt.words); tt.then != "" {
			x.Clear()
			x.tell(tt.then)
		}
		var got []string
		for n, to := x.Span(); n < to; n++ {
			text := "."
			if sent, ok := x.CopyOf(n); ok {
				text = fmt.Sprint(sent)
			}
			got = append(got, text)
		}
		packets, _ := x.Count()
		if text := strings.Join(got, " "); text != tt.want || packets != tt.packets || x.Cleared() != tt.cleared {
			t.Errorf("%s: %s, %d packets and %d cleared, want %s, %d and %d", tt.name, text, packets,
				x.Cleared(), tt.want, tt.packets, tt.cleared)
		}
		if x.Dropped() {
			t.Errorf("%s: nothing was dropped", tt.name)
		}
	}
}

// TestAgeTells: age says that something has changed exactly once for a packet.
func TestAgeTells(t *testing.T) {
	x := &teller{Live: NewLive(), at: time.Unix(1, 0)}
	x.tell("B>A 9 A>B 1 A>B 2")
	for i, tt := range []struct {
		after time.Duration
		want  bool
	}{{Patience, false}, {Patience + 1, true}, {Patience + 2, false}, {time.Hour, false}} {
		if got := x.Age(x.at.Add(tt.after)); got != tt.want {
			t.Errorf("look %d: changed %v", i, got)
		}
	}
	if len(x.pending) != 0 {
		t.Errorf("%d ways still have packets", len(x.pending))
	}
	x.tell("A>B 3 A>B 3!")
	if x.Age(x.at.Add(time.Hour)) {
		t.Error("a packet that arrived is news")
	}
}

// TestForgotten: what is known of packets that are not kept any more is forgotten, and numbers go on.
func TestForgotten(t *testing.T) {
	x := &teller{Live: NewLive(), at: time.Unix(1, 0)}
	for i := range LiveKept + 100 {
		x.tell(fmt.Sprintf("A>B %d", i/2)) // each twice
	}
	if from, to := x.Span(); from != 100 || !x.Dropped() || to != LiveKept+100 || x.Packet(99) != nil ||
		x.Packet(100).N != 100 || x.Packet(to) != nil {
		t.Errorf("packets %d to %d", from, to)
	}
	if len(x.sent) != LiveKept/2 || len(x.repeats) != LiveKept/2 {
		t.Errorf("%d and %d are remembered, want %d", len(x.sent), len(x.repeats), LiveKept/2)
	}
	x.tell("A>B 0")
	if x.kept[LiveKept-1].marks.Has(Again) {
		t.Error("a packet is a repetition of one that is forgotten")
	}
}

// TestClear: packets that are cleared do not show, until that is undone; what is known of them stays.
func TestClear(t *testing.T) {
	x := &teller{Live: NewLive(), at: time.Unix(1, 0)}
	span := func(when string, from, to, cleared uint64) {
		t.Helper()
		if f, e := x.Span(); f != from || e != to || x.Cleared() != cleared {
			t.Errorf("%s: packets %d to %d, %d cleared", when, f, e, x.Cleared())
		}
	}
	x.Clear()
	span("empty", 0, 0, 0)
	x.tell("A>B 0 A>B 1")
	x.Clear()
	span("cleared", 2, 2, 2)
	x.tell("A>B 0")
	if span("after that", 2, 3, 2); x.Packet(1) != nil || !x.Packet(2).Marks.Has(Again) {
		t.Errorf("after that: %+v, %+v", x.Packet(1), x.Packet(2))
	}
	x.Clear()
	x.Undo()
	span("the last clear is undone", 2, 3, 2)
	x.Undo()
	if span("the one before, too", 0, 3, 0); x.Packet(1) == nil {
		t.Error("a packet that was cleared is lost")
	}
	x.Clear()
	for i := range LiveKept {
		x.tell(fmt.Sprintf("A>B %d", 10+i))
	}
	span("none is kept any more", 3, LiveKept+3, 0)
}

// TestBounded: however many packets come, and are lost, only those that are kept are remembered.
func TestBounded(t *testing.T) {
	x := &teller{Live: NewLive(), at: time.Unix(1, 0)}
	for i := range 2 * LiveKept {
		if x.tell(fmt.Sprintf("A>B %d", i)); i%7 > 0 {
			x.tell(fmt.Sprintf("A>B %d!", i))
		}
	}
	if len(x.kept) != LiveKept || len(x.sent) > LiveKept || len(x.repeats) > LiveKept || len(x.asked) > 4*LiveKept {
		t.Errorf("%d packets, %d contents, %d and %d PSNs", len(x.kept), len(x.sent), len(x.repeats), len(x.asked))
	}
}

// TestTalks: the responder is on the right. Who asks is known once an answer or a datagram has named it.
func TestTalks(t *testing.T) {
	x := &teller{Live: NewLive(), at: time.Unix(1, 0)}
	name := func(e End) string { return fmt.Sprintf("%s/%d", e.Addr, e.QP) }
	said := func(n uint64) string {
		of := x.TalkOf(x.Packet(n))
		return name(of.Ends[0]) + " " + name(of.Ends[1])
	}
	x.tell("A>B 1")
	if got := said(0); got != "10.0.0.1/0 10.0.0.2/66" {
		t.Errorf("a request: %s", got)
	}
	x.tell("B>A 7k") // of a request that was not seen
	if got := said(1); got != "10.0.0.1/65 10.0.0.2/0" {
		t.Errorf("an answer: %s", got)
	}
	x.tell("B>A 1k")
	for n := range uint64(3) {
		if got := said(n); got != "10.0.0.1/65 10.0.0.2/66" {
			t.Errorf("record %d: %s", n, got)
		}
	}
	x.tell("A>C 1")
	for n, want := range []bool{true, true, true, false} {
		of := x.TalkOf(x.Packet(2))
		if got := x.Has(&of, x.Packet(uint64(n))); got != want {
			t.Errorf("record %d belongs to it: %v", n, got)
		}
	}
}
