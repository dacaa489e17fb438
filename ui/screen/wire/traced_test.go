package wire

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"rdmatui/session"
	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/capturetest"
	"rdmatui/verbs/wire"
)

// captured is a capture that the test writes.
type captured struct {
	t    testing.TB
	file bytes.Buffer
	w    *capture.Writer
	at   time.Time
}

func newCaptured(t testing.TB) *captured {
	c := &captured{t: t, at: time.Unix(1_700_000_000, 0)}
	c.w = capture.NewWriter(&c.file)
	return c
}

// add adds a packet from A's address to B's, or back.
func (c *captured) add(fromA bool, qp uint32, after time.Duration, p wire.Packet) {
	c.t.Helper()
	src, dst := netip.MustParseAddrPort("10.0.0.1:4791"), netip.MustParseAddrPort("10.0.0.2:4791")
	if !fromA {
		src, dst = dst, src
	}
	icrc, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
	if err != nil {
		c.t.Fatal(err)
	}
	p.BTH.DestQP = qp
	c.at = c.at.Add(after)
	if err := c.w.Write(&timeline.Packet{At: c.at, Device: "eth0", Outgoing: fromA, Src: src, Dst: dst,
		IP: verbs.IPHeader{HopLimit: 64}, Data: icrc.Append(0, p.Append(nil))}); err != nil {
		c.t.Fatal(err)
	}
}

// journey is a SEND of three packets, of which the last is sent again after a NAK, and a
// refused WRITE of another pair.
func (c *captured) journey() *captured {
	c.add(true, 0x22, 0, request(wire.RCSendFirst, 0xfffffe, 1024))
	c.add(true, 0x22, 3*time.Microsecond, request(wire.RCSendMiddle, 0xffffff, 1024))
	c.add(true, 0x22, 3*time.Microsecond, request(wire.RCSendLast, 0, 100))
	c.add(true, 0x33, 3*time.Microsecond, request(wire.RCWriteOnly, 7, 64))
	c.add(false, 0x11, 20*time.Microsecond, answer(wire.NAK(wire.NAKPSNSequence), 0, 0))
	c.add(true, 0x22, 3*time.Microsecond, request(wire.RCSendLast, 0, 100))
	c.add(false, 0x11, 20*time.Microsecond, answer(wire.ACKUnlimited, 0, 1))
	c.add(false, 0x12, 20*time.Microsecond, answer(wire.NAK(wire.NAKRemoteAccess), 7, 0))
	return c
}

// traceOf reads the capture.
func (c *captured) traceOf() *conversation.Trace {
	c.t.Helper()
	if err := c.w.Close(); err != nil {
		c.t.Fatal(err)
	}
	r, err := capture.NewReader(&c.file)
	if err != nil {
		c.t.Fatal(err)
	}
	tr := conversation.NewTrace(1 << 30)
	tr.Read([]conversation.Source{{Name: "switch.pcapng", Reader: r}})
	return tr
}

// onTrace makes a screen on a capture.
func onTrace(t testing.TB, th *theme.Theme, tr *conversation.Trace) *bench {
	x := &bench{t: t, sess: uitest.NewSession(t, session.Options{})}
	env := x.sess.Env(th)
	env.Trace = tr
	x.s = New(env)
	x.frame()
	return x
}

func TestTraceGolden(t *testing.T) {
	for name, size := range bodies {
		x := onTrace(t, theme.New("none", true), newCaptured(t).journey().traceOf())
		x.view(size[0], size[1])
		x.keys("home", "down", "down")
		uitest.Golden(t, "trace-"+name, x.view(size[0], size[1]))
	}
}

// The keys move among the packets of a capture as among those of the session.
func TestTraceKeys(t *testing.T) {
	x := onTrace(t, theme.New("none", true), newCaptured(t).journey().traceOf())
	x.view(160, 40)
	at := func() uint64 { return x.s.list.at(x.s.table.Cursor()).Seq }
	x.keys("home")
	for _, want := range []uint64{5, 6, 8} {
		if x.keys("n"); at() != want {
			t.Errorf("n goes to packet %d, want %d", at(), want)
		}
	}
	if x.keys("N", "v"); x.s.list.Len() != 6 || at() != 6 {
		t.Errorf("%d packets of the conversation, on %d", x.s.list.Len(), at())
	}
	x.keys("v")
	for text, want := range map[string]int{"nak": 2, "retry": 1, "qp==0x11": 6, "qp==0x12": 2, "op~write": 1,
		"REMOTE": 1, "ip==10.0.0.9": 0} {
		x.keys("/")
		x.s.Update(tea.PasteMsg{Content: text})
		if x.keys("enter"); x.s.list.Len() != want {
			t.Errorf("%s: %d packets, want %d", text, x.s.list.Len(), want)
		}
		x.keys("esc")
	}
	for _, key := range []string{"t", "C", "u", "w", "f", "d"} {
		if msg := x.keys(key); x.s.list.Len() != 8 || strings.Contains(fmt.Sprint(msg), "save_packets") {
			t.Errorf("%s: %v, %d packets left", key, msg, x.s.list.Len())
		}
	}
}

// What is told of a packet is complete: its request is told to its end, though it was
// open when the packet was read.
func TestTraceTold(t *testing.T) {
	x := onTrace(t, theme.New("none", true), newCaptured(t).journey().traceOf())
	x.view(160, 44)
	for keys, want := range map[string][]string{
		"home": {"conversation 1, packet 1 of the capture", "SEND of 2,148 bytes in 4 packets",
			"acknowledged after 52 µs, 1 retransmitted"},
		"down5":    {"retry: retransmitted: its PSN was captured before", "ICRC right"},
		"down3":    {"RDMA WRITE of 64 bytes in 1 packet", "refused after 63 µs: remote access error"},
		"down1":    {"128 of 1,040 bytes are kept for the screen"},
		"nothing1": {"128 of 1,040 bytes are kept"},
	} {
		x.keys("home")
		for range keys[len(keys)-1] - '0' {
			if strings.HasPrefix(keys, "down") {
				x.keys("down")
			}
		}
		for _, text := range want {
			if view := x.view(160, 60); !strings.Contains(view, text) {
				t.Errorf("%s: no %q in\n%s", keys, text, view)
			}
		}
	}
}

// Comments of a pcapng file are shown, and do nothing to the terminal.
func TestTraceComments(t *testing.T) {
	c := newCaptured(t)
	p := request(wire.RCSendOnly, 1, 4)
	addr := netip.MustParseAddrPort("10.0.0.1:4791")
	if err := c.w.Write(&timeline.Packet{At: c.at, Device: evil, Src: addr, Dst: addr,
		Data: append(p.Append(nil), 0, 0, 0, 0)}, "posted as wr_id 7\n"+evil); err != nil {
		t.Fatal(err)
	}
	x := onTrace(t, theme.New("none", true), c.traceOf())
	raw := widget.Render(x.s.th, x.s, 160, 45)
	if !strings.Contains(raw, "comment: posted as wr_id 7") || strings.Contains(raw, evil) ||
		strings.Contains(raw, "\x1b]0") {
		t.Errorf("%q", raw)
	}
}

// A large capture is filtered over several frames, and nothing is lost by that.
func TestTraceFilterInParts(t *testing.T) {
	const packets = 3*frameTries + 100
	c := newCaptured(t)
	for i := range packets {
		c.add(true, 0x22, time.Microsecond, request(wire.RCSendOnly, wire.PSN(i), 4))
	}
	x := onTrace(t, theme.New("none", true), c.traceOf())
	x.view(120, 30)
	x.keys("/")
	x.s.Update(tea.PasteMsg{Content: "psn>=10"})
	x.keys("enter")
	if view := x.view(120, 30); !strings.Contains(view, "still to filter") || x.s.list.Len() != frameTries-10 {
		t.Errorf("%d packets at once\n%s", x.s.list.Len(), view)
	}
	for x.frame() {
	}
	if view := x.view(120, 30); x.s.list.Len() != packets-10 || strings.Contains(view, "still to filter") {
		t.Errorf("%d packets of %d\n%s", x.s.list.Len(), packets, view)
	}
	if x.frame() {
		t.Error("it is drawn again though nothing has changed")
	}
}

// While a capture grows beyond its limit the cursor stays on its packet.
func TestTraceGrows(t *testing.T) {
	pipe := newCaptured(t)
	for i := range 40_000 {
		pipe.add(true, 0x22, time.Microsecond, request(wire.RCSendOnly, wire.PSN(i), 4))
	}
	if err := pipe.w.Close(); err != nil {
		t.Fatal(err)
	}
	half := &halting{file: pipe.file.Bytes(), stop: make(chan bool), goOn: make(chan bool)}
	half.halt = sync.OnceFunc(func() { close(half.stop); <-half.goOn })
	r, err := capture.NewReader(half)
	if err != nil {
		t.Fatal(err)
	}
	tr, done := conversation.NewTrace(7<<20), make(chan bool)
	go func() {
		tr.Read([]conversation.Source{{Name: "-", Reader: r}})
		close(done)
	}()
	<-half.stop
	x := onTrace(t, theme.New("none", true), tr)
	x.view(120, 30)
	x.keys("up", "up")
	was := x.s.list.at(x.s.table.Cursor()).Seq
	close(half.goOn)
	<-done
	x.frame()
	if from, to := x.s.list.source.Span(); from == 0 || to != 40_000 {
		t.Fatalf("packets %d to %d", from, to)
	}
	if now := x.s.list.at(x.s.table.Cursor()); now == nil || now.Seq != was {
		t.Errorf("the cursor is on %v, was on %d", now, was)
	}
	uitest.Exact(t, widget.Render(x.s.th, x.s, 120, 30), 120, 30)
}

// halting is a file that stops at its middle until it may go on.
type halting struct {
	file       []byte
	at         int
	stop, goOn chan bool
	halt       func()
}

func (h *halting) Read(p []byte) (int, error) {
	if h.at < len(h.file)/2 {
		p = p[:min(len(p), len(h.file)/2-h.at)]
	} else {
		h.halt()
	}
	if h.at == len(h.file) {
		return 0, io.EOF
	}
	n := copy(p, h.file[h.at:])
	h.at += n
	return n, nil
}

// BenchmarkTraceScroll moves the cursor through a capture of a million packets.
func BenchmarkTraceScroll(b *testing.B) {
	c := newCaptured(b)
	for i := range 1_000_000 {
		c.add(i%2 == 0, 0x22, time.Microsecond, request(wire.RCSendOnly, wire.PSN(i), 64))
	}
	x := onTrace(b, theme.New("dark", true), c.traceOf())
	x.s.Refresh(&screen.State{Session: x.sess.Snapshot()})
	keys := []string{"pgup", "home", "pgdown", "end"}
	for i := 0; b.Loop(); i++ {
		x.s.Update(uitest.Key(keys[i%len(keys)]))
		widget.Render(x.s.th, x.s, 160, 45)
	}
}

// The packets of a long message share an arrow until something happens to one.
func TestFold(t *testing.T) {
	message := func(c *captured, psn wire.PSN, packets int) {
		for i := range packets {
			op := wire.RCWriteMiddle
			switch i {
			case 0:
				op = wire.RCWriteFirst
			case packets - 1:
				op = wire.RCWriteLast
			}
			c.add(true, 0x22, 10*time.Microsecond, request(op, psn.Add(i), 1024))
		}
	}
	for _, x := range []struct {
		name string
		make func(*captured)
		want string // packets of each arrow
	}{
		{"two messages", func(c *captured) { message(c, 10, 5); message(c, 15, 4) }, "5 4"},
		{"two packets", func(c *captured) { message(c, 10, 2) }, "1 1"},
		{"answer between", func(c *captured) {
			message(c, 10, 8)
			c.add(false, 0x11, 1, answer(wire.ACKUnlimited, 17, 1))
			message(c, 18, 3)
		}, "8 1 3"},
		{"gap", func(c *captured) {
			message(c, 10, 4)
			c.add(true, 0x22, 1, request(wire.RCWriteMiddle, 20, 1024))
			c.add(true, 0x22, 1, request(wire.RCWriteMiddle, 21, 1024))
			c.add(true, 0x22, 1, request(wire.RCWriteLast, 22, 1024))
		}, "4 1 1 1"},
		{"sent again", func(c *captured) { message(c, 10, 4); message(c, 10, 4) }, "4 1 1 1 1"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newCaptured(t)
			x.make(c)
			s := onTrace(t, theme.New("none", true), c.traceOf())
			s.view(160, 40)
			arrows := func() (out string) {
				for _, h := range s.s.ladder.hops {
					out += fmt.Sprint(h.packets, " ")
				}
				return strings.TrimSpace(out)
			}
			if got := arrows(); got != x.want {
				t.Errorf("arrows of %s packets, want %s", got, x.want)
			}
			s.keys("home")
			if first := s.s.ladder.hops[0]; first.packets > 1 {
				if want := fmt.Sprintf("WRITE ×%d 0x00000a %d B", first.packets,
					1024*first.packets); !strings.Contains(s.view(160, 40), want) {
					t.Errorf("no %q in\n%s", want, s.view(160, 40))
				}
			}
			s.keys("[", "end", "up", "home") // walks by arrows
			if at := s.s.list.at(s.s.table.Cursor()); at.Seq != 1 {
				t.Errorf("on packet %d", at.Seq)
			}
			folds := strings.Trim(x.want, "1 ") != ""
			if s.s.ladder.foldable != folds {
				t.Errorf("the key that unfolds is offered: %v", !folds)
			}
			s.keys(".")
			if s.s.ladder.foldable != folds {
				t.Errorf("the key that folds is offered: %v", !folds)
			}
			if got := strings.Count(arrows(), "1"); got != s.s.list.Len() {
				t.Errorf("%d arrows of one packet for %d packets", got, s.s.list.Len())
			}
		})
	}
}

// TestOuterHeaders: the detail and the list tell what a packet is encapsulated in.
func TestOuterHeaders(t *testing.T) {
	const frame = "0200000000020200000000010800" + "450000300000400040110000" + "0a0000010a000002" +
		"c35012b7001c0000" + "0400ffff0000001100000009" + "68656c6c" + "01020304" // IPv4, UDP, BTH, four bytes, ICRC
	packet, err := hex.DecodeString(frame)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range capturetest.Encapsulations {
		if e.Name == "VXLAN" {
			packet = e.Wrap(packet)
		}
	}
	file := capturetest.File(1, capturetest.Packet{At: time.Unix(1_700_000_000, 0), Bytes: packet})
	r, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	tr := conversation.NewTrace(1 << 30)
	tr.Read([]conversation.Source{{Name: "mirror.pcap", Reader: r}})
	x := onTrace(t, theme.New("none", true), tr)
	x.view(160, 40)
	x.keys("home")
	view := x.view(160, 40)
	for _, want := range []string{"tunnel", "in VXLAN vni 5001", "192.0.2.1:50001", "10.0.0.1:50000 to 10.0.0.2:4791"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
}
