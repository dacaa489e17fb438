package program

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/soft"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// chatLen is the size of every chat message: text padded with zeros. The server
// answers each with "server get " and the text it received, cut to the size.
const chatLen = 32

// talker is one end of a chat as tutorials write it: it posts one RECV at a time, as
// a server only once the connection is established, and never more than it needs.
type talker struct {
	t          testing.TB
	events     verbs.CMEventChannel
	listen, id verbs.CMID
	pd         verbs.PD
	cq         verbs.CQ
	qp         verbs.QP
	recv, send verbs.MR
	sent, came int // completions polled
	length     int // of the last message received
}

func newTalker(t testing.TB, p verbs.CMProvider) *talker {
	t.Helper()
	k := &talker{t: t}
	var err error
	k.events, err = p.CreateEventChannel()
	k.ok(err)
	t.Cleanup(func() { k.close(k.qp, k.cq, k.recv, k.send, k.pd, k.id, k.listen, k.events) })
	return k
}

func (k *talker) close(objects ...interface{ Close() error }) {
	for _, o := range objects {
		if o != nil {
			if err := o.Close(); err != nil {
				k.t.Errorf("%T: %v", o, err)
			}
		}
	}
}

func (k *talker) ok(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *talker) event(want verbs.CMEventType) verbs.CMEvent {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	e, err := k.events.GetEvent(ctx)
	k.ok(err)
	if e.Type != want || e.Status != 0 {
		k.t.Fatalf("%s, status %d, came for %s", e.Type, e.Status, want)
	}
	return e
}

func (k *talker) build() {
	k.t.Helper()
	dev := k.id.Device()
	var err error
	k.pd, err = dev.AllocPD()
	k.ok(err)
	k.cq, err = dev.CreateCQ(verbs.CQSpec{CQE: 10})
	k.ok(err)
	k.qp, err = k.id.CreateQP(k.pd, verbs.QPSpec{QPType: verbs.RC, SendCQ: k.cq, RecvCQ: k.cq,
		Cap: verbs.QPCap{MaxSendWR: 5, MaxRecvWR: 5, MaxSendSGE: 1, MaxRecvSGE: 1}})
	k.ok(err)
	k.recv, err = k.pd.RegMR(verbs.MRSpec{Length: chatLen, Access: verbs.LocalWrite})
	k.ok(err)
	k.send, err = k.pd.RegMR(verbs.MRSpec{Length: chatLen})
	k.ok(err)
}

// serve listens on a free port, and returns it.
func (k *talker) serve() uint16 {
	k.t.Helper()
	var err error
	k.listen, err = k.events.CreateID(verbs.PortSpaceTCP)
	k.ok(err)
	k.ok(k.listen.BindAddr(netip.AddrPortFrom(netip.IPv4Unspecified(), 0)))
	k.ok(k.listen.Listen(0))
	return k.listen.LocalAddr().Port()
}

func (k *talker) accept() {
	k.t.Helper()
	k.id = k.event(verbs.CMConnectRequest).ID
	k.build()
	k.ok(k.id.Accept(verbs.CMConnParam{ResponderResources: 1, InitiatorDepth: 1, RNRRetryCount: 7, RetryCount: 7}))
	k.event(verbs.CMEstablished)
}

func (k *talker) connect(to netip.AddrPort) {
	k.t.Helper()
	var err error
	k.id, err = k.events.CreateID(verbs.PortSpaceTCP)
	k.ok(err)
	k.ok(k.id.ResolveAddr(netip.AddrPort{}, to, 5*time.Second))
	k.event(verbs.CMAddrResolved)
	k.build()
	k.ok(k.id.ResolveRoute(5 * time.Second))
	k.event(verbs.CMRouteResolved)
	k.ok(k.id.Connect(verbs.CMConnParam{ResponderResources: 1, InitiatorDepth: 1, RNRRetryCount: 7, RetryCount: 7}))
	k.event(verbs.CMEstablished)
}

func (k *talker) postRecv() {
	k.t.Helper()
	_, err := k.recv.WriteAt(make([]byte, chatLen), 0)
	k.ok(err)
	_, err = k.qp.PostRecv(verbs.RecvWR{
		SGList: []verbs.SGE{{Addr: k.recv.Addr(), Length: chatLen, LKey: k.recv.LKey()}},
	})
	k.ok(err)
}

func (k *talker) say(text string) {
	k.t.Helper()
	message := make([]byte, chatLen)
	copy(message, text)
	_, err := k.send.WriteAt(message, 0)
	k.ok(err)
	_, err = k.qp.PostSend(verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled,
		SGList: []verbs.SGE{{Addr: k.send.Addr(), Length: chatLen, LKey: k.send.LKey()}}})
	k.ok(err)
}

// await polls completions until the given numbers of messages were sent and received.
func (k *talker) await(sent, came int) {
	k.t.Helper()
	for deadline := time.Now().Add(patience); k.sent < sent || k.came < came; {
		wcs := make([]verbs.WC, 1)
		n, err := k.cq.Poll(wcs)
		k.ok(err)
		switch wc := &wcs[0]; {
		case n == 0 && time.Now().After(deadline):
			k.t.Fatalf("%d sent and %d came, not %d and %d", k.sent, k.came, sent, came)
		case n == 0:
			time.Sleep(time.Millisecond)
		case wc.Failed():
			k.t.Fatalf("%s after %d sent and %d came", wc.Status, k.sent, k.came)
		case wc.Opcode.IsRecv():
			k.came++
			k.length = int(wc.ByteLen)
		default:
			k.sent++
		}
	}
}

// heard returns the text of the last message received.
func (k *talker) heard() string {
	k.t.Helper()
	message := make([]byte, chatLen)
	_, err := k.recv.ReadAt(message, 0)
	k.ok(err)
	text, rest, _ := bytes.Cut(message, []byte{0})
	if k.length != chatLen || len(bytes.Trim(rest, "\x00")) > 0 {
		k.t.Errorf("a message of %d bytes: %q", k.length, message)
	}
	return string(text)
}

// chatted is a conversation, including an answer that does not fit.
var chatted = []struct{ said, answer string }{
	{"hello", "server get hello"},
	{"a", "server get a"}, // shorter than the message before: none of that is left
	{"0123456789abcdefghijklmnopqrstu", "server get 0123456789abcdefghijk"},
	{"disconnect", "server get disconnect"},
}

// talk plays the client's part of the conversation.
func (k *talker) talk() {
	k.t.Helper()
	for i, c := range chatted {
		k.postRecv()
		k.say(c.said)
		k.await(i+1, i+1)
		if got := k.heard(); got != c.answer {
			k.t.Errorf("to %q the server says %q, not %q", c.said, got, c.answer)
		}
	}
	k.ok(k.id.Disconnect())
	k.event(verbs.CMDisconnected)
}

// listens plays the server's part, up to the last message.
func (k *talker) listens() {
	k.t.Helper()
	for i, c := range chatted {
		k.postRecv()
		k.await(i, i+1)
		if got := k.heard(); got != c.said {
			k.t.Errorf("the client says %q, not %q", got, c.said)
		}
		k.say(c.answer)
	}
	k.ok(k.id.Disconnect()) // the last answer may still be in flight
	k.event(verbs.CMDisconnected)
}

func chatLines() []string {
	var lines []string
	for _, c := range chatted {
		lines = append(lines, c.said)
	}
	return lines
}

// TestChatWithPartner plays chat against a partner that shares only the message
// format, on software devices of this process. Lines are given in advance, or typed.
func TestChatWithPartner(t *testing.T) {
	typed := chatLines()
	for name, c := range map[string]struct {
		serve bool
		said  []string
		opts  session.Options
	}{
		"ours serves":   {serve: true},
		"ours connects": {said: chatLines()},
		"ours connects and is typed to": {opts: session.Options{Input: func(context.Context, string) (string, error) {
			line := typed[0]
			typed = typed[1:]
			return line, nil
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			provider := soft.New(soft.Options{})
			c.opts.Providers = []verbs.Provider{provider}
			s := session.New(c.opts)
			p := scenario.DefaultParams("chat")
			p.Server, p.Messages = c.serve, c.said
			k := newTalker(t, provider)
			if !c.serve {
				p.Address, p.Port = "127.0.0.1", k.serve()
			}
			listening, ours := make(chan struct{}, 1), make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				err := uitest.RunScenario(ctx, s, p, func(l *script.Line) {
					if strings.HasPrefix(l.Text, "rdma_get_cm_event CONNECT_REQUEST") {
						listening <- struct{}{}
					}
				})
				ours <- errors.Join(err, s.Close())
			}()
			if !c.serve {
				k.accept()
				k.listens()
				if err := <-ours; err != nil {
					t.Error(err)
				}
				return
			}
			<-listening
			k.connect(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), p.Port))
			k.talk()
			cancel()
			if err := <-ours; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

// chatOnRxe plays chat against the partner on the kernel's device.
func chatOnRxe(t *testing.T, us side) {
	t.Run("ours serves", func(t *testing.T) {
		port := freePort()
		n, _ := strconv.Atoi(port)
		server := us.serving(t, "scenario", "chat", "--server", "-p", port)
		for range 2 {
			k := newTalker(t, native.New())
			k.connect(netip.AddrPortFrom(netip.MustParseAddr(us.address), uint16(n)))
			k.talk()
		}
		if err := server.cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		server.cmd.Wait()
		for _, c := range chatted {
			if out := server.out.String(); !strings.Contains(out, c.said) {
				t.Errorf("%q is not in\n%s", c.said, out)
			}
		}
	})
	t.Run("ours connects", func(t *testing.T) {
		k := newTalker(t, native.New())
		args := []string{"scenario", "chat", "-p", strconv.Itoa(int(k.serve())), address}
		ours := us.prepare(t, args...)
		ours.cmd.Stdin = strings.NewReader(strings.Join(chatLines(), "\n") + "\n")
		if err := ours.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		k.accept()
		k.listens()
		if out := ours.done(); !slices.ContainsFunc(strings.Split(out, "\n"), func(l string) bool {
			return strings.Contains(l, chatted[0].answer)
		}) {
			t.Errorf("no answer in\n%s", out)
		}
	})
}

// TestChatOnRxe has both programs on the kernel's device, then rdmatui on the
// software device.
func TestChatOnRxe(t *testing.T) {
	vmtest.Need(t)
	if alone(t) {
		chatOnRxe(t, kernelSide(t))
		chatOnRxe(t, softSide(t, peerAddress))
	}
}
