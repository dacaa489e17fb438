package program

import (
	"bytes"
	"context"
	bin "encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"rdmatui/verbs"
)

// The messages of read-write, those of the-geek-in-the-corner's 02_read-write: a C
// struct with an enum and, from the next multiple of 8, a struct ibv_mr as it is in
// the sender's memory. Numbers are in the sender's byte order, on LP64 hosts at these
// offsets. The receiver ignores the other fields.
//
//	 0  i32  type: 0 the region, 1 done
//	 8  ptr  context
//	16  ptr  pd
//	24  u64  addr
//	32  u64  length
//	40  u32  handle
//	44  u32  lkey
//	48  u32  rkey
const (
	geekType   = 0
	geekAddr   = 24
	geekLength = 32
	geekRKey   = 48
	geekLen    = 56

	geekRegion = 1024 // bytes written or read
)

// geekParams are the parameters of both ends except retry_count, which the program
// leaves at 0: a busy host may be late.
var geekParams = verbs.CMConnParam{ResponderResources: 1, InitiatorDepth: 1, RNRRetryCount: 7, RetryCount: 7}

// geek is one end of that program, equally strict: it counts completions and posts a
// RECV only for the next message.
type geek struct {
	t       testing.TB
	reading bool
	text    string // the text the peer must find

	events     verbs.CMEventChannel
	listen, id verbs.CMID
	pd         verbs.PD
	cq         verbs.CQ
	qp         verbs.QP
	recv, send verbs.MR
	mine, open verbs.MR // mine is the source of WRITEs or destination of READs; open is open to the peer

	sent     int      // completions of its own requests
	reached  bool     // the request for the peer's region is posted
	messages [][]byte // received
	peer     verbs.CMConnParam
}

func newGeek(t testing.TB, p verbs.CMProvider, op, text string) *geek {
	t.Helper()
	g := &geek{t: t, reading: op == "read", text: text}
	var err error
	g.events, err = p.CreateEventChannel()
	g.ok(err)
	t.Cleanup(g.close)
	return g
}

func (g *geek) ok(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

// close closes everything, each object before those it was made from.
func (g *geek) close() {
	for _, c := range []interface{ Close() error }{g.qp, g.cq, g.recv, g.send, g.mine, g.open, g.pd,
		g.id, g.listen, g.events} {
		if c != nil {
			if err := c.Close(); err != nil {
				g.t.Errorf("%T: %v", c, err)
			}
		}
	}
}

// event takes the next event, which must be the wanted one.
func (g *geek) event(want verbs.CMEventType) verbs.CMEvent {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	e, err := g.events.GetEvent(ctx)
	g.ok(err)
	if e.Type != want || e.Status != 0 {
		g.t.Fatalf("%s, status %d, came for %s", e.Type, e.Status, want)
	}
	return e
}

// serve listens on a free port, and returns it.
func (g *geek) serve() uint16 {
	g.t.Helper()
	var err error
	g.listen, err = g.events.CreateID(verbs.PortSpaceTCP)
	g.ok(err)
	g.ok(g.listen.BindAddr(netip.AddrPortFrom(netip.IPv4Unspecified(), 0)))
	g.ok(g.listen.Listen(10))
	return g.listen.LocalAddr().Port()
}

// accept runs the passive side up to the connection.
func (g *geek) accept() {
	g.t.Helper()
	e := g.event(verbs.CMConnectRequest)
	g.id, g.peer = e.ID, e.Conn
	g.build()
	g.ok(g.id.Accept(geekParams))
	g.event(verbs.CMEstablished)
}

// connect runs the active side up to the connection.
func (g *geek) connect(to netip.AddrPort) {
	g.t.Helper()
	var err error
	g.id, err = g.events.CreateID(verbs.PortSpaceTCP)
	g.ok(err)
	g.ok(g.id.ResolveAddr(netip.AddrPort{}, to, 5*time.Second))
	g.event(verbs.CMAddrResolved)
	g.build()
	g.ok(g.id.ResolveRoute(5 * time.Second))
	g.event(verbs.CMRouteResolved)
	g.ok(g.id.Connect(geekParams))
	g.peer = g.event(verbs.CMEstablished).Conn
}

func (g *geek) build() {
	g.t.Helper()
	dev := g.id.Device()
	var err error
	g.pd, err = dev.AllocPD()
	g.ok(err)
	g.cq, err = dev.CreateCQ(verbs.CQSpec{CQE: 10})
	g.ok(err)
	g.qp, err = g.id.CreateQP(g.pd, verbs.QPSpec{QPType: verbs.RC, SendCQ: g.cq, RecvCQ: g.cq,
		Cap: verbs.QPCap{MaxSendWR: 10, MaxRecvWR: 10, MaxSendSGE: 1, MaxRecvSGE: 1}})
	g.ok(err)
	mine, open := verbs.Access(0), verbs.LocalWrite|verbs.RemoteWrite
	if g.reading {
		mine, open = verbs.LocalWrite, verbs.RemoteRead
	}
	for _, r := range []struct {
		mr     *verbs.MR
		length uint64
		access verbs.Access
	}{{&g.recv, geekLen, verbs.LocalWrite}, {&g.send, geekLen, 0}, {&g.mine, geekRegion, mine},
		{&g.open, geekRegion, open}} {
		*r.mr, err = g.pd.RegMR(verbs.MRSpec{Length: r.length, Access: r.access})
		g.ok(err)
	}
	says := g.mine
	if g.reading {
		says = g.open
	}
	_, err = says.WriteAt(append([]byte(g.text), 0), 0)
	g.ok(err)
	g.postRecv()
}

func (g *geek) postRecv() {
	g.t.Helper()
	_, err := g.qp.PostRecv(verbs.RecvWR{
		SGList: []verbs.SGE{{Addr: g.recv.Addr(), Length: geekLen, LKey: g.recv.LKey()}},
	})
	g.ok(err)
}

func (g *geek) post(wr verbs.SendWR) {
	g.t.Helper()
	wr.SendFlags = verbs.SendSignaled
	_, err := g.qp.PostSend(wr)
	g.ok(err)
}

// sendMessage fills the fields that receivers must ignore with values that make no
// sense.
func (g *geek) sendMessage(kind uint32) {
	g.t.Helper()
	m := bytes.Repeat([]byte{0xa5}, geekLen)
	bin.NativeEndian.PutUint32(m[geekType:], kind)
	bin.NativeEndian.PutUint64(m[geekAddr:], g.open.Addr())
	bin.NativeEndian.PutUint64(m[geekLength:], geekRegion)
	bin.NativeEndian.PutUint32(m[geekRKey:], g.open.RKey())
	_, err := g.send.WriteAt(m, 0)
	g.ok(err)
	g.post(verbs.SendWR{Opcode: verbs.WRSend,
		SGList: []verbs.SGE{{Addr: g.send.Addr(), Length: geekLen, LKey: g.send.LKey()}}})
}

// talk runs from the connection to its end. The active side speaks first. The peer's second message may overtake the
// completion of the own first one.
func (g *geek) talk(active bool) {
	g.t.Helper()
	if active {
		g.sendMessage(0)
	}
	for deadline := time.Now().Add(patience); g.sent < 3 || len(g.messages) < 2; {
		wcs := make([]verbs.WC, 1)
		n, err := g.cq.Poll(wcs)
		g.ok(err)
		if n == 0 {
			if time.Now().After(deadline) {
				g.t.Fatalf("%d sent and %d messages came", g.sent, len(g.messages))
			}
			time.Sleep(time.Millisecond)
			continue
		}
		if g.completed(&wcs[0]); !g.reached && g.sent > 0 && len(g.messages) > 0 {
			g.reached = true
			g.reach()
			g.sendMessage(1)
		}
	}
	g.ok(g.id.Disconnect())
	g.event(verbs.CMDisconnected)
}

// completed handles one completion, and answers the first message if nothing was sent
// before.
func (g *geek) completed(wc *verbs.WC) {
	g.t.Helper()
	switch {
	case wc.Failed():
		g.t.Fatalf("%s after %d sent and %d messages", wc.Status, g.sent, len(g.messages))
	case !wc.Opcode.IsRecv():
		g.sent++
		return
	case wc.ByteLen != geekLen:
		g.t.Fatalf("a message of %d bytes came", wc.ByteLen)
	}
	m := make([]byte, geekLen)
	_, err := g.recv.ReadAt(m, 0)
	g.ok(err)
	g.messages = append(g.messages, m)
	if len(g.messages) > 1 {
		return
	}
	g.postRecv()
	if g.listen != nil {
		g.sendMessage(0)
	}
}

// reach writes to the peer's region, or reads it.
func (g *geek) reach() {
	g.t.Helper()
	m := g.messages[0]
	op := verbs.WRRDMAWrite
	if g.reading {
		op = verbs.WRRDMARead
	}
	g.post(verbs.SendWR{Opcode: op, SGList: []verbs.SGE{{Addr: g.mine.Addr(), Length: geekRegion, LKey: g.mine.LKey()}},
		RemoteAddr: bin.NativeEndian.Uint64(m[geekAddr:]), RKey: bin.NativeEndian.Uint32(m[geekRKey:])})
}

// verify compares what was received with what the program would have sent: byte for
// byte where the layout defines a field, zero elsewhere. Nothing of this host's
// memory may leak beyond what the peer needs.
func (g *geek) verify(says string) {
	g.t.Helper()
	first := g.messages[0]
	want := make([]byte, geekLen)
	copy(want[geekAddr:], first[geekAddr:geekAddr+8])
	copy(want[geekRKey:], first[geekRKey:geekRKey+4])
	bin.NativeEndian.PutUint64(want[geekLength:], geekRegion)
	done := slices.Clone(want)
	bin.NativeEndian.PutUint32(done[geekType:], 1)
	for i, w := range [][]byte{want, done} {
		if !bytes.Equal(g.messages[i], w) {
			g.t.Errorf("message %d is\n%x, want\n%x", i, g.messages[i], w)
		}
	}
	if bin.NativeEndian.Uint64(first[geekAddr:]) == 0 || bin.NativeEndian.Uint32(first[geekRKey:]) == 0 {
		g.t.Errorf("no address or no key in %x", first)
	}
	found := g.open
	if g.reading {
		found = g.mine
	}
	region := make([]byte, geekRegion)
	_, err := found.ReadAt(region, 0)
	g.ok(err)
	if whole := append([]byte(says), make([]byte, geekRegion-len(says))...); !bytes.Equal(region, whole) {
		g.t.Errorf("the region is %q, want %q", region[:64], says)
	}
	if c := g.peer; c.ResponderResources != 1 || c.InitiatorDepth != 1 || c.RNRRetryCount != 7 ||
		len(bytes.Trim(c.PrivateData, "\x00")) > 0 {
		g.t.Errorf("connection parameters %+v", c)
	}
}

// ourText is the text that the scenario leaves for its peer.
func ourText(weServe bool) string {
	if weServe {
		return "message from the passive side"
	}
	return "message from the active side"
}

// geekText is not empty and names the run.
func geekText(op string, weServe bool) string {
	return fmt.Sprintf("message of a partner, %s, server %v", op, !weServe)
}
