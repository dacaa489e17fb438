package wire

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
	"rdmatui/session/trace"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
)

// teller makes the records of a story from short words.
type teller struct {
	*story
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
		h := request(wire.RCSendOnly, psn, 4)
		switch kind {
		case "n":
			h = answer(wire.NAK(wire.NAKPSNSequence), psn, 0)
		case "k":
			h = answer(wire.ACKUnlimited, psn, 1)
		}
		h.BTH.DestQP = uint32(way[2])
		p.Data = append(h.Append(nil), 0, 0, 0, 0)
		if err := p.Wire.Decode(p.Data); err != nil {
			panic(err)
		}
		x.seq++
		p.Seq = x.seq
		x.add([]*timeline.Packet{p})
	}
}

// fates tells what is known of each record.
func (x *teller) fates() string {
	var out []string
	for _, r := range x.rows {
		text := ""
		for _, f := range []struct {
			on   bool
			word string
		}{{r.lost, "lost"}, {r.again, "again"}, {r.twice, "twice"}, {r.gap > 0, "gap"}} {
			if f.on {
				text += f.word + " "
			}
		}
		if r.twin != nil {
			text += fmt.Sprint(r.twin.n, " ")
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
		x := &teller{story: newStory(), at: time.Unix(1, 0)}
		x.tell(tt.words)
		x.age(x.at.Add(tt.after))
		if got := x.fates(); got != tt.want {
			t.Errorf("%s: %s: %s, want %s", tt.name, tt.words, got, tt.want)
		}
	}
}

// TestAgeTells: age says that something has changed exactly once for a packet.
func TestAgeTells(t *testing.T) {
	x := &teller{story: newStory(), at: time.Unix(1, 0)}
	x.tell("B>A 9 A>B 1 A>B 2")
	for i, tt := range []struct {
		after time.Duration
		want  bool
	}{{patience, false}, {patience + 1, true}, {patience + 2, false}, {time.Hour, false}} {
		if got := x.age(x.at.Add(tt.after)); got != tt.want {
			t.Errorf("look %d: changed %v", i, got)
		}
	}
	if len(x.pending) != 0 {
		t.Errorf("%d ways still have packets", len(x.pending))
	}
	x.tell("A>B 3 A>B 3!")
	if x.age(x.at.Add(time.Hour)) {
		t.Error("a packet that arrived is news")
	}
}

// TestForgotten: what is known of packets that are not kept any more is forgotten, and numbers go on.
func TestForgotten(t *testing.T) {
	x := &teller{story: newStory(), at: time.Unix(1, 0)}
	for i := range keepRows + 100 {
		x.tell(fmt.Sprintf("A>B %d", i/2)) // each twice
	}
	if from, to := x.span(); from != 100 || to != keepRows+100 || x.row(99) != nil || x.row(100).n != 100 ||
		x.row(to) != nil {
		t.Errorf("packets %d to %d", from, to)
	}
	if len(x.sent) != keepRows/2 || len(x.repeats) != keepRows/2 {
		t.Errorf("%d and %d are remembered, want %d", len(x.sent), len(x.repeats), keepRows/2)
	}
	x.tell("A>B 0")
	if x.rows[keepRows-1].again {
		t.Error("a packet is a repetition of one that is forgotten")
	}
	x.clear()
	if from, to := x.span(); from != keepRows+101 || to != from || len(x.repeats) != 0 {
		t.Errorf("cleared: packets %d to %d", from, to)
	}
	x.tell("A>B 0")
	if r := x.row(keepRows + 101); r == nil || r.again || r.gap != 0 {
		t.Errorf("after that: %+v", r)
	}
}

// TestTalks: the responder is on the right. Who asks is known once an answer or a datagram has named it.
func TestTalks(t *testing.T) {
	x := &teller{story: newStory(), at: time.Unix(1, 0)}
	name := func(e end) string { return fmt.Sprintf("%s/%d", e.addr, e.qp) }
	said := func(n uint64) string {
		of := x.talkOf(x.row(n))
		return name(of.left) + " " + name(of.right)
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
		of := x.talkOf(x.row(2))
		if got := of.has(x.row(uint64(n))); got != want {
			t.Errorf("record %d belongs to it: %v", n, got)
		}
	}
}

// TestBoundedTwice: as packets go on being dropped the cursor stays on its packet, and new ones follow.
func TestBoundedTwice(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		psn := wire.PSN(0)
		flood := func(n int) {
			for range n {
				x.onWire(true, true, request(wire.RCSendOnly, psn, 4))
				psn++
			}
			x.refresh()
			x.view(120, 30)
		}
		for range 8 {
			flood(keepRows / 16)
		}
		x.keys("up")
		was := x.s.list.at(x.s.table.Cursor()).n
		for range 4 {
			flood(100)
			if got := x.s.list.at(x.s.table.Cursor()); got.n != was {
				t.Errorf("on packet %d, was on %d", got.n, was)
			}
			if tried, dropped := x.s.list.extend(); tried || dropped != 0 {
				t.Errorf("%d packets are dropped again", dropped)
			}
		}
		x.filter("psn>=0")
		x.keys("home", "down", "down")
		was = x.s.list.at(x.s.table.Cursor()).n
		if from, _ := x.s.story.span(); was != from+2 {
			t.Errorf("the third row is packet %d of those from %d on", was, from)
		}
		flood(10) // which drops the row under the cursor
		if got := x.s.list.at(x.s.table.Cursor()); got.n != x.s.story.from || x.s.list.Len() != keepRows {
			t.Errorf("on packet %d, the first is %d; %d rows", got.n, x.s.story.from, x.s.list.Len())
		}
	})
}

// TestTapFails: if the tap cannot be switched on, the screen says why, and that it is off.
func TestTapFails(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		msg := watching{on: true, err: errors.New("no tap")}
		flash, _ := x.s.Update(msg)().(screen.FlashMsg)
		if flash.Level != timeline.LevelError || flash.Text != "no tap" {
			t.Errorf("%+v", flash)
		}
		if x.refresh(); !strings.Contains(x.view(120, 30), "tap off") {
			t.Errorf("it is not said\n%s", x.view(120, 30))
		}
	})
}

// TestOtherDevicesOnce: the tap is requested again for a device that was opened since, once.
func TestOtherDevicesOnce(t *testing.T) {
	runOn(t, theme.New("none", true), native{uitest.Soft(nil)}, []string{"open_device mlx5_0"}, func(x *bench) {
		asked := func() (n int) {
			for range 3 {
				if _, cmd := x.s.Refresh(&screen.State{Session: x.sess.Snapshot()}); cmd != nil {
					x.s.Update(cmd())
					n++
				}
			}
			return n
		}
		asked()
		if n := asked(); n != 0 {
			t.Errorf("asked %d times for a device that is known", n)
		}
		x.s.others = nil
		if n := asked(); n != 1 {
			t.Errorf("asked %d times for a new device", n)
		}
		x.keys("t") // off
		x.s.others = nil
		if n := asked(); n != 0 {
			t.Errorf("asked %d times while the tap is off", n)
		}
	})
}

// TestAddressesOfTheEnds: the two ends are named with their addresses where both fit with two blanks between.
func TestAddressesOfTheEnds(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		clear(x.s.list.names)
		full := 2*len("qp 0x123456 127.0.0.1") + 2
		for w := 20; w < 120; w++ {
			x.s.ladder.SetSize(w, 10)
			head, _, _ := strings.Cut(uitest.Text(widget.Render(x.s.th, x.s.ladder, w, 10)), "\n")
			room := w - 9 - 12 // between the times and the marks, with the rails
			if w < 54 {
				room = w - 12 // no times
			}
			if got := strings.Contains(head, "127.0.0.1"); got != (room >= full) {
				t.Errorf("%d cells: %q", w, head)
			}
			if got := strings.Count(head, "127.0.0."); got != 0 && got != 2 {
				t.Errorf("%d cells: %q", w, head)
			}
			if room >= 2*len("qp 0x123456")+2 && strings.Count(head, "qp 0x") != 2 {
				t.Errorf("%d cells: %q", w, head)
			}
		}
	})
}

// TestWayOfAPacket: the detail begins with when and how a packet was captured, as far as the capture tells.
func TestWayOfAPacket(t *testing.T) {
	for _, tt := range []struct {
		way    capture.Way
		device string
		want   string
	}{
		{capture.Unknown, "", "1.250000 s  10.0.0.1:1 to 10.0.0.2:2"},
		{capture.Unknown, "eth0", "1.250000 s  eth0  10.0.0.1:1 to 10.0.0.2:2"},
		{capture.In, "eth0", "1.250000 s  ← eth0  10.0.0.1:1 to 10.0.0.2:2"},
		{capture.Out, "eth0", "1.250000 s  → eth0  10.0.0.1:1 to 10.0.0.2:2"},
	} {
		p := &trace.Packet{Frame: capture.Frame{Way: tt.way, Packet: timeline.Packet{Device: tt.device,
			T: 1250 * time.Millisecond, Src: netip.MustParseAddrPort("10.0.0.1:1"),
			Dst: netip.MustParseAddrPort("10.0.0.2:2"), Outgoing: tt.way == capture.Out}}}
		th := &theme.Theme{Glyphs: theme.New("none", true).Glyphs}
		d := newDetail(th, newList(th, newStory()))
		d.row = &row{Packet: &p.Packet, read: p}
		b := line.New(th)
		if d.drawWay(b); b.String() != tt.want {
			t.Errorf("%q, want %q", b.String(), tt.want)
		}
		d.row.read = nil
		b.Reset()
		if d.drawWay(b); tt.device != "" && !strings.Contains(b.String(), "eth0  10") {
			t.Errorf("of the session: %q", b.String())
		}
	}
}
