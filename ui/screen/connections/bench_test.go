package connections

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// bench is a screen over a session, in virtual time, and a peer: another session on the same devices.
type bench struct {
	*uitest.ScreenDriver
	t          *testing.T
	s          *Screen
	sess, peer *uitest.Session
	m          *manager // of sess
	asked      int
	drawn      bool // the last frame of do changed something
}

var plain = theme.New("none", true)

// run tests the screen over a [manager].
func run(t *testing.T, th *theme.Theme, test func(*bench)) {
	t.Helper()
	runOn(t, th, func(m *manager) []verbs.Provider { return []verbs.Provider{m} }, test)
}

// runOn is run with other providers.
func runOn(t *testing.T, th *theme.Theme, providers func(*manager) []verbs.Provider, test func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		x := &bench{t: t, m: &manager{Provider: uitest.Soft(nil), tells: make(chan verbs.CMEventType)}}
		x.sess = uitest.NewSession(t, session.Options{Providers: providers(x.m), Live: true})
		x.peer = uitest.NewSession(t, session.Options{Providers: []verbs.Provider{x.m.Provider}, Live: true})
		env := x.sess.Env(th)
		x.s = New(env)
		x.ScreenDriver = uitest.NewScreen(t, env, x.s)
		test(x)
	})
}

// pass waits until work under way has finished, and draws a frame.
func (x *bench) pass() {
	x.t.Helper()
	time.Sleep(20 * time.Millisecond)
	x.drawn = x.Frame()
	x.Settle()
}

// do runs lines one after the other, each with everything that follows from it.
func (x *bench) do(lines ...string) {
	x.t.Helper()
	for _, l := range lines {
		x.sess.Do(l)
		x.pass()
	}
}

// theirs is do for the peer.
func (x *bench) theirs(lines ...string) {
	x.t.Helper()
	for _, l := range lines {
		x.peer.Do(l)
		x.pass()
	}
}

// channel makes an event channel if the session has none.
func (x *bench) channel(s *uitest.Session) {
	if len(s.Snapshot().EventChannels) == 0 {
		s.Do("rdma_create_event_channel events")
	}
}

// serve listens.
func (x *bench) serve() {
	x.t.Helper()
	x.channel(x.sess)
	x.do("rdma_create_id listen channel=events ps=TCP", "rdma_bind_addr listen port=7471", "rdma_listen listen")
}

// ask makes the peer request a connection, with hostile private data.
func (x *bench) ask() {
	x.t.Helper()
	x.channel(x.peer)
	x.asked++
	id := fmt.Sprint("id", x.asked)
	x.theirs("rdma_create_id "+id+" channel=events ps=TCP", "rdma_resolve_addr "+id+" 127.0.0.1 port=7471",
		"rdma_resolve_route "+id,
		fmt.Sprintf(
			"rdma_connect %s qp_num=%d responder_resources=4 initiator_depth=2 rnr_retry_count=6 private_data=%s", id,
			0x77+x.asked, hostile))
}

// client makes an identifier in a state: ERROR after the peer rejected its request, DISCONNECTED after the peer
// disconnected.
func (x *bench) client(st session.IDState) {
	x.t.Helper()
	x.channel(x.sess)
	x.channel(x.peer)
	x.theirs("rdma_create_id listen channel=events ps=TCP", "rdma_bind_addr listen port=7472", "rdma_listen listen")
	x.do("rdma_create_id id channel=events ps=TCP", "rdma_resolve_addr id 127.0.0.1 port=7472")
	if st == session.IDAddrResolved {
		return
	}
	x.do("rdma_resolve_route id", "alloc_pd pd id=id", "create_cq cq id=id cqe=64",
		"rdma_create_qp id qp pd=pd send_cq=cq recv_cq=cq")
	faults := "delay=1ms"
	if st == session.IDConnecting {
		faults = "loss=100%"
	}
	x.do("fault soft0 "+faults, "rdma_connect id")
	switch st {
	case session.IDError:
		x.theirs(`rdma_reject listen-1 private_data="busy"`)
	case session.IDConnected, session.IDDisconnected:
		x.theirs("rdma_accept listen-1 qp_num=0x99")
		if st == session.IDDisconnected {
			x.theirs("rdma_disconnect listen-1")
		}
	}
	if got := x.s.current().State; got != st {
		x.t.Fatalf("id is in %s, not %s", got, st)
	}
}

// noManager is a provider without a connection manager.
type noManager struct{}

func (noManager) Name() string                           { return "none" }
func (noManager) Devices() ([]verbs.DeviceInfo, error)   { return nil, nil }
func (noManager) Open(name string) (verbs.Device, error) { return nil, verbs.ErrUnsupported }

// second is another provider with a connection manager; its device is mlx5_0.
type second struct{ *soft.Provider }

func (second) Name() string { return "other" }
func (second) Devices() ([]verbs.DeviceInfo, error) {
	return []verbs.DeviceInfo{{Name: "mlx5_0", Provider: "other"}}, nil
}
func (p second) Open(string) (verbs.Device, error) { return p.Provider.Open("soft0") }

// manager is the software device with a connection manager that reports an event of the newest identifier when the test
// asks for it.
type manager struct {
	*soft.Provider
	tells chan verbs.CMEventType
}

func (m *manager) CreateEventChannel() (verbs.CMEventChannel, error) {
	ch, err := m.Provider.CreateEventChannel()
	return &channel{CMEventChannel: ch, tells: m.tells}, err
}

type channel struct {
	verbs.CMEventChannel
	tells  chan verbs.CMEventType
	newest atomic.Value // CMID
}

func (c *channel) CreateID(ps verbs.CMPortSpace) (verbs.CMID, error) {
	id, err := c.CMEventChannel.CreateID(ps)
	c.newest.Store(id)
	return id, err
}

func (c *channel) GetEvent(ctx context.Context) (e verbs.CMEvent, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e, err = c.CMEventChannel.GetEvent(ctx)
	}()
	select {
	case typ := <-c.tells:
		cancel()
		<-ended
		return verbs.CMEvent{Type: typ, ID: c.newest.Load().(verbs.CMID)}, nil
	case <-ended:
		return e, err
	}
}
