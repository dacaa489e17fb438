package wire

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/conversation"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/wire"
)

var (
	addrA = netip.MustParseAddrPort("127.0.0.1:4791")
	addrB = netip.MustParseAddrPort("127.0.0.2:4791")
)

// onWire sends a packet from one device to the other; a lost one does not arrive.
func (x *bench) onWire(fromA, arrives bool, h wire.Packet) {
	src, dst, from, to := addrA, addrB, "soft0", "soft1"
	h.BTH.DestQP = x.qpB
	if !fromA {
		src, dst, from, to = addrB, addrA, "soft1", "soft0"
		h.BTH.DestQP = x.qpA
	}
	h.BTH.PKey, h.BTH.MigReq = 0xffff, true
	icrc, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
	if err != nil {
		x.t.Fatal(err)
	}
	data := icrc.Append(0, h.Append(nil))
	x.seen(from, true, src, dst, data)
	if arrives {
		x.seen(to, false, src, dst, data)
	}
}

func request(o wire.Opcode, psn wire.PSN, n int) wire.Packet {
	return wire.Packet{BTH: wire.BTH{Opcode: o, PSN: psn, AckReq: n < 1024},
		Payload: []byte(strings.Repeat("hello world ", 100))[:n],
		RETH:    wire.RETH{VA: 0x7f0000001000, RKey: 0x60f35fdc, DMALen: uint32(n)}}
}

func answer(s wire.Syndrome, psn wire.PSN, msn uint32) wire.Packet {
	return wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, PSN: psn}, AETH: wire.AETH{Syndrome: s, MSN: msn}}
}

// journey is a SEND of three packets, the middle one lost, refused with a NAK and
// sent again; then a WRITE.
func (x *bench) journey() {
	x.onWire(true, true, request(wire.RCSendFirst, 0xfffffe, 1024))
	x.onWire(true, false, request(wire.RCSendMiddle, 0xffffff, 1024))
	x.onWire(true, true, request(wire.RCSendLast, 0, 100))
	x.onWire(false, true, answer(wire.NAK(wire.NAKPSNSequence), 0xffffff, 0))
	x.onWire(true, true, request(wire.RCSendMiddle, 0xffffff, 1024))
	x.onWire(true, true, request(wire.RCSendLast, 0, 100))
	x.onWire(false, true, answer(wire.ACKUnlimited, 0, 1))
	x.onWire(true, true, request(wire.RCWriteOnly, 1, 300))
	x.onWire(false, true, answer(wire.RNRNAK(12), 1, 1))
	x.refresh()
}

// bodies are the sizes that terminals of the named size leave for the screen.
var bodies = map[string][2]int{"80x24": {80, 17}, "120x40": {120, 30}, "200x60": {200, 50}, "40x10": {40, 7}}

func TestGolden(t *testing.T) {
	for name, size := range bodies {
		for _, uni := range []bool{true, false} {
			run(t, theme.New("none", uni), func(x *bench) {
				uitest.Golden(x.t, fmt.Sprintf("empty-%s-%v", name, uni), x.view(size[0], size[1]))
				x.journey()
				x.keys("home", "down") // which was lost
				uitest.Golden(x.t, fmt.Sprintf("packet-%s-%v", name, uni), x.view(size[0], size[1]))
				x.keys("end", "[") // the conversation has the focus
				uitest.Golden(x.t, fmt.Sprintf("conversation-%s-%v", name, uni), x.view(size[0], size[1]))
			})
		}
	}
}

func TestSweep(t *testing.T) {
	for _, palette := range []string{"16", "none", "dark"} {
		run(t, theme.New(palette, palette == "16"), func(x *bench) {
			x.journey()
			x.keys("home", "down")
			for w := 1; w < 210; w += 19 {
				for h := 1; h < 55; h += 5 {
					uitest.Exact(t, widget.Render(x.s.th, x.s, w, h), w, h)
				}
			}
		})
	}
}

// The marks show what happened to each packet.
func TestMarks(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		var lost, again, twins int
		_, to := x.s.live.Span()
		for n := range to {
			r := x.s.live.Packet(n)
			if r.Marks.Has(conversation.Lost) {
				lost++
				if r.Wire.BTH.PSN != 0xffffff {
					t.Errorf("%v is not lost", &r.Wire)
				}
			}
			if r.Marks.Has(conversation.Again) && r.Outgoing {
				again++
			}
			if r.Twin != nil {
				twins++
			}
		}
		if lost != 1 || again != 2 || twins != 16 {
			t.Errorf("%d lost, %d again, %d at both ends", lost, again, twins)
		}
	})
}

// A lost packet with no later packet is marked lost after a while; if it arrives
// after all, the mark goes.
func TestPatience(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		h := request(wire.RCSendOnly, 5, 10)
		x.onWire(true, false, h)
		x.refresh()
		if x.s.live.Marks(0).Has(conversation.Lost) {
			t.Error("lost at once")
		}
		x.now += conversation.Patience * 2
		if !x.refresh() || !x.s.detail.row.Marks.Has(conversation.Lost) {
			t.Error("not lost after all that time")
		}
		data := x.s.live.Packet(0).Data
		x.seen("soft1", false, addrA, addrB, data)
		x.refresh()
		if r := x.s.live.Packet(0); r.Marks.Has(conversation.Lost) || r.Twin == nil {
			t.Error("it has arrived")
		}
		x.seen("soft1", false, addrA, addrB, data)
		if x.refresh(); !x.s.live.Packet(2).Marks.Has(conversation.Twice) {
			t.Error("it has arrived twice")
		}
	})
}

// A packet sent to a group arrives once at each member.
func TestMulticast(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		group := netip.MustParseAddrPort("224.1.2.3:4791")
		h := wire.Packet{
			BTH: wire.BTH{Opcode: wire.UDSendOnly, DestQP: 0xffffff}, DETH: wire.DETH{SrcQP: x.qpA},
			Payload: []byte("hi"),
		}
		data := append(h.Append(nil), 0, 0, 0, 0)
		x.seen("soft0", true, addrA, group, data)
		for _, device := range []string{"soft0", "soft1", "soft0"} {
			x.seen(device, false, addrA, group, data)
		}
		x.refresh()
		var twice []bool
		for n := uint64(1); n < 4; n++ {
			twice = append(twice, x.s.live.Marks(n).Has(conversation.Twice))
		}
		if want := []bool{false, false, true}; !slices.Equal(twice, want) {
			t.Errorf("twice %v, want %v", twice, want)
		}
	})
}

// If the far end is not recorded no packet is marked lost.
func TestFarEndNotSeen(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		away := netip.MustParseAddrPort("10.9.0.1:4791")
		p := request(wire.RCSendOnly, 5, 10)
		x.seen("soft0", true, addrA, away, append(p.Append(nil), 1, 2, 3, 4))
		x.refresh()
		x.now += time.Hour
		x.refresh()
		if x.s.live.Packet(0).Marks.Has(conversation.Lost) {
			t.Error("nobody can know that it is lost")
		}
	})
}

// Missing records are reported, and mark no packet as lost.
func TestGaps(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.onWire(true, false, request(wire.RCSendOnly, 5, 10))
		x.refresh() // else the session may take the next packet only later
		q := request(wire.RCSendOnly, 6, 10)
		data := append(q.Append(nil), 1, 2, 3, 4)
		x.seen("soft1", false, addrA, addrB, data)
		synctest.Wait() // the session has taken it, and looks again later
		for range 4096 + 40 {
			x.seen("soft1", false, addrA, addrB, data)
		}
		x.refresh()
		x.seen("soft1", false, addrA, addrB, data)
		x.refresh()
		x.now += time.Hour
		x.refresh()
		if x.s.live.Packet(0).Marks.Has(conversation.Lost) {
			t.Error("it may be among those that were missed")
		}
		if view := x.view(200, 50); !strings.Contains(view, "…40 not kept") ||
			!strings.Contains(view, "40 counted, not kept") {
			t.Errorf("the gap is not told\n%s", view)
		}
	})
}

func TestFilters(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		other := request(wire.RCSendOnly, 77, 5)
		other.BTH.DestQP = 0x999999
		x.seen("soft0", true, addrA, addrB, append(other.Append(nil), 0, 0, 0, 0))
		x.refresh()
		n := func() int { return x.s.list.Len() }
		all := n()
		recorded := map[string]int{}
		for at, to := x.s.live.Span(); at < to; at++ {
			recorded[x.s.live.Packet(at).Device]++
		}
		for _, device := range []string{"soft0", "soft1"} { // with what it received and the other sent
			if x.keys("d"); n() != recorded[device] {
				t.Errorf("%d rows of %s, which recorded %d", n(), device, recorded[device])
			}
		}
		x.keys("d", "home", "v")
		if n() != all-1 {
			t.Errorf("%d rows of the conversation, want %d", n(), all-1)
		}
		x.keys("v", "/", "9", "9", "9", "enter")
		if n() != 1 || x.s.Typing() {
			t.Errorf("%d rows with 999", n())
		}
		for _, text := range []string{"rdma_write_only", "psn sequence error", "lost", verbs.QPN(x.qpB).String(), "nak",
			"op~write and not lost", "retry or gap or nak", "not ip==" + addrA.Addr().String() + " or lost"} {
			x.keys("esc", "/")
			x.s.Update(tea.PasteMsg{Content: text})
			x.keys("enter")
			if n() == 0 || n() == all {
				t.Errorf("%s: %d rows of %d", text, n(), all)
			}
		}
		x.keys("esc")
		if n() != all {
			t.Errorf("%d rows after esc, want %d", n(), all)
		}
		x.keys("/", "p", "s", "n", "=", "9")
		for _, width := range []int{80, 200} {
			if view := x.view(width, 40); !strings.Contains(view,
				"Filter, column 4: psn needs one of == != <= >= < > and a value") {
				t.Errorf("a mistake is not told:\n%s", view)
			}
		}
	})
}

func TestKeys(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		x.keys("f", "f", "d", "d")
		if msg := x.keys("w"); msg != (screen.EditMsg{Line: "save_packets wire.pcapng"}) {
			t.Errorf("w: %v", msg)
		}
		if x.keys("t"); x.dev.taps["soft0"] != nil {
			t.Error("t leaves the tap on")
		}
		if x.s.Show(); x.dev.taps["soft0"] != nil {
			t.Error("the tap that was switched off is switched on again")
		}
		x.keys("t", "d", "p")
		before := x.s.list.Len()
		x.onWire(true, true, request(wire.RCSendOnly, 9, 1))
		if x.refresh(); x.s.list.Len() != before {
			t.Error("it is paused, and rows come")
		}
		x.keys("p")
		if x.refresh(); x.s.list.Len() != before+1 {
			t.Error("what came meanwhile is not there")
		}
		x.keys("C")
		if view := x.view(120, 30); x.refresh() && x.s.list.Len() != 0 || strings.Contains(view, "SEND") {
			t.Errorf("not cleared\n%s", view)
		}
	})
}

// Both ends have a name above their rail, apart from each other: with addresses if
// both fit, without otherwise.
func TestEndsOfTheLadder(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		clear(x.s.list.names) // as if the queue pairs were destroyed
		left, right := fmt.Sprintf("qp 0x%06x", x.qpA), fmt.Sprintf("qp 0x%06x", x.qpB)
		for w, want := range map[int]string{
			40: left + "   +" + right + "\n", 57: left + "   +" + right + "\n",
			90: left + " 127.0.0.1   +" + right + " 127.0.0.2\n",
		} {
			x.s.ladder.SetSize(w, 10)
			if got := uitest.Text(widget.Render(x.s.th, x.s.ladder, w, 10)); !regexp.MustCompile(want).
				MatchString(got) {
				t.Errorf("%d cells, no %q:\n%s", w, want, got)
			}
		}
	})
}

// The ladder's keys move along the conversation, each packet once.
func TestWalk(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		x.keys("home", "[", "home")
		var psns []wire.PSN
		for range 9 {
			psns = append(psns, x.s.list.at(x.s.table.Cursor()).Wire.BTH.PSN)
			x.keys("down")
		}
		if want := []wire.PSN{0xfffffe, 0xffffff, 0, 0xffffff, 0xffffff, 0, 0, 1, 1}; !slices.Equal(psns, want) {
			t.Errorf("%x, want %x", psns, want)
		}
	})
}

// A queue pair that sends to itself on one device has a ladder too.
func TestLoopback(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		p := request(wire.RCSendOnly, 5, 10)
		p.BTH.DestQP = 2
		data := append(p.Append(nil), 0, 0, 0, 0)
		x.seen("soft0", true, addrA, addrA, data)
		x.seen("soft0", false, addrA, addrA, data)
		a := answer(wire.ACKUnlimited, 5, 1)
		a.BTH.DestQP = 1
		data = append(a.Append(nil), 0, 0, 0, 0)
		x.seen("soft0", true, addrA, addrA, data)
		x.seen("soft0", false, addrA, addrA, data)
		x.refresh()
		if n := len(x.s.ladder.hops); n != 2 ||
			x.s.ladder.talk.Ends != ([2]conversation.End{{Addr: addrA.Addr(), QP: 1}, {Addr: addrA.Addr(), QP: 2}}) {
			t.Errorf("%d hops, %+v", n, x.s.ladder.talk)
		}
	})
}

func TestNativeOnly(t *testing.T) {
	runOn(t, theme.New("none", true), native{uitest.Soft(nil)}, []string{"open_device mlx5_0"}, func(x *bench) {
		view := x.view(200, 50)
		for _, want := range []string{
			"mlx5_0: not captured here; capture mlx5_0 on reads ens1np0; for what the NIC keeps", "No packets yet."} {
			if !strings.Contains(view, want) {
				t.Errorf("%q is not in\n%s", want, view)
			}
		}
	})
}

func TestNothingChanged(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		x.refresh()
		if x.refresh() {
			t.Error("nothing changed, yet it is drawn again")
		}
	})
}

// When there are more packets than are kept, the oldest are dropped and the cursor
// stays on its packet.
func TestBounded(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		for i := range conversation.LiveKept/2 - 1 {
			x.onWire(true, true, request(wire.RCSendOnly, wire.PSN(i), 4))
			if i%1000 == 0 {
				x.refresh()
			}
		}
		x.refresh()
		x.view(120, 30)
		x.keys("up", "up")
		was := x.s.list.at(x.s.table.Cursor())
		for i := range 500 {
			x.onWire(true, i%7 > 0, request(wire.RCSendOnly, wire.PSN(10000+i), 4))
		}
		x.refresh()
		x.view(120, 30)
		packets, _ := x.s.live.Count()
		if got := x.s.list.at(x.s.table.Cursor()); x.s.list.Len() != int(packets) || got.N != was.N {
			t.Errorf("%d rows, on %v, was on %v", x.s.list.Len(), got.Seq, was.Seq)
		}
		if want := format.Count(packets) + " newest packets"; !strings.HasSuffix(x.title(), want) {
			t.Errorf("%s, want %s", x.title(), want)
		}
	})
}

// Every packet can be drawn, and none acts on the terminal.
func TestHostile(t *testing.T) {
	runOn(t, theme.New("none", true), newTapped(verbs.DeviceInfo{Name: evil}), benchLines, func(x *bench) {
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range 400 {
			data := make([]byte, rng.IntN(80))
			for j := range data {
				data[j] = byte(rng.Uint32())
			}
			if len(data) > 0 && i%2 == 0 {
				data[0] = byte(i % 0x30)
			}
			x.seen([]string{"soft0", evil}[i%2], i%3 == 0, addrA, addrB, data)
		}
		x.refresh()
		x.keys("home")
		for range 40 {
			for _, size := range bodies {
				x.view(size[0], size[1])
			}
			x.keys("down", "down", "]", "down")
		}
		x.keys("/")
		x.s.Update(tea.PasteMsg{Content: evil})
		x.view(80, 17)
	})
}

// The packet under the cursor can be copied, and so can its field.
func TestCopy(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		x.view(120, 40)
		x.keys("g")
		if got := x.s.texts(x.s.Focus); !strings.Contains(got[0].Text, "SEND_FIRST") ||
			strings.Contains(got[0].Text, "\n") || !strings.HasPrefix(got[1].Text, "00") {
			t.Errorf("of the packets: %q", got)
		}
		x.keys("tab", "down", "down", "down")
		if got := x.s.texts(
			x.s.Focus); got[0].Text != "0      opcode   0x00       RC_SEND_FIRST: first of several packets" {
			t.Errorf("of the packet: %q", got)
		}
		if x.keys("y"); !strings.Contains(x.view(120, 40), "copy:  1 field   2 bytes   3 pane") {
			t.Errorf("nothing is offered:\n%s", x.view(120, 40))
		}
	})
}

// n goes to the next lost, repeated or refused packet, N to the previous one.
func TestSeek(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		x.view(120, 40)
		x.keys("g")
		var forth, back []int
		for at := -1; x.s.table.Cursor() != at; x.keys("n") {
			at = x.s.table.Cursor()
			if r := x.s.list.at(at); at > 0 && !r.Marks.Has(conversation.Lost|conversation.Again) && !isNAK(r) {
				t.Errorf("packet %d is neither lost nor repeated nor refused", at)
			}
			forth = append(forth, at)
		}
		for at := x.s.list.Len(); x.s.table.Cursor() != at; x.keys("N") {
			at = x.s.table.Cursor()
			back = append(back, at)
		}
		slices.Reverse(back)
		if len(forth) < 4 || !slices.Equal(forth[1:], back) {
			t.Errorf("forth %v, back %v", forth, back)
		}
	})
}
