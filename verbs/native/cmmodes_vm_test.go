package native_test

import (
	"context"
	"errors"
	"net/netip"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// datagram sends text to the destination of a CMUDParam and receives it there.
func (r *cmRig) datagram(from *endpoint, to verbs.CMUDParam, text string, receivers ...*endpoint) {
	r.Helper()
	for _, e := range receivers {
		r.receive(e)
	}
	ah, err := from.pd.CreateAH(to.AH)
	r.must(err)
	r.closeAtEnd(ah)
	_, err = from.mr.WriteAt([]byte(text), 2048)
	r.must(err)
	_, err = from.qp.PostSend(verbs.SendWR{
		Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(from.mr, 2048, uint32(len(text))),
		AH: ah, RemoteQPN: to.QPNum, RemoteQKey: to.QKey,
	})
	r.must(err)
	for _, e := range receivers {
		for !r.completion(e).Opcode.IsRecv() { // the sender's own completion may come first
		}
		got := make([]byte, len(text))
		_, err := e.mr.ReadAt(got, 40) // after the GRH
		r.must(err)
		if string(got) != text {
			r.Errorf("received %q, sent %q", got, text)
		}
	}
}

func TestCMDatagrams(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	listeners, listener := r.listener(verbs.PortSpaceUDP)
	clients, id := r.resolved(verbs.PortSpaceUDP, listener.LocalAddr())
	client := r.endpoint(id)
	r.must(id.Connect(verbs.CMConnParam{PrivateData: []byte("who is there?")}))
	request := r.next(listeners)
	if request.Type != verbs.CMConnectRequest || request.ListenID != listener ||
		text(request.UD.PrivateData) != "who is there?" {
		t.Fatalf("%+v", request)
	}
	r.closeAtEnd(request.ID)
	server := r.endpoint(request.ID)
	r.must(request.ID.Accept(verbs.CMConnParam{PrivateData: []byte("it is me")}))
	event := r.want(clients, verbs.CMEstablished, id)
	if text(event.UD.PrivateData) != "it is me" || event.UD.QPNum != server.qp.Num() || event.UD.QKey == 0 ||
		!event.UD.AH.IsGlobal || event.UD.AH.PortNum != 1 {
		t.Errorf("%+v", event.UD)
	}
	r.datagram(client, event.UD, "hello", server)

	_, id = r.resolved(verbs.PortSpaceUDP, listener.LocalAddr())
	if err := id.Connect(verbs.CMConnParam{PrivateData: make([]byte, 181)}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("181 bytes of private data: %v", err)
	}
}

func TestCMDatagramsRefused(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	clients, id := r.resolved(verbs.PortSpaceUDP, netip.AddrPortFrom(vmAddr, 9))
	r.endpoint(id)
	r.must(id.Connect(verbs.CMConnParam{}))
	if event := r.next(clients); event.Type != verbs.CMUnreachable || event.Status <= 0 {
		t.Errorf("%s, status %d", event.Type, event.Status)
	}
}

// TestCMMulticast sends one datagram to both members of a group.
func TestCMMulticast(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	group := netip.MustParseAddr("239.1.2.9")
	ch := r.channel()
	var members []*endpoint
	var join verbs.CMEvent
	for range 2 {
		id := r.id(ch, verbs.PortSpaceUDP)
		r.must(id.BindAddr(netip.AddrPortFrom(vmAddr, 0)))
		e := r.endpoint(id)
		r.must(id.JoinMulticast(group))
		join = r.want(ch, verbs.CMMulticastJoin, id)
		if join.UD.QPNum != 0xffffff || join.UD.AH.GRH.DGID != verbs.GID(group.As16()) || join.UD.PrivateData != nil {
			t.Errorf("%+v", join.UD)
		}
		members = append(members, e)
	}
	r.datagram(members[0], join.UD, "to all", members...)
	var busy *verbs.BusyError
	if err := members[0].qp.Close(); !errors.As(err, &busy) || !strings.Contains(err.Error(), group.String()) {
		t.Errorf("closing a queue pair of a group: %v", err)
	}
	if members[0].QP() != members[0].qp {
		t.Error("the identifier has lost its queue pair")
	}
	for _, e := range members {
		r.must(e.LeaveMulticast(group))
		if err := e.LeaveMulticast(group); !errors.Is(err, syscall.EADDRNOTAVAIL) {
			t.Errorf("leaving twice: %v", err)
		}
	}
	tcp := r.id(ch, verbs.PortSpaceTCP)
	r.must(tcp.BindAddr(netip.AddrPortFrom(vmAddr, 0)))
	if err := tcp.JoinMulticast(group); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a connected identifier joins: %v", err)
	}
}

// modify makes the transition that the manager would make.
func (r *cmRig) modify(e *endpoint, state verbs.QPState) verbs.QPAttr {
	r.Helper()
	attr, err := e.InitQPAttr(state)
	r.must(err)
	if attr.QPState != state || attr.Mask&verbs.AttrState == 0 {
		r.Fatalf("for %s: %+v", state, attr)
	}
	r.must(e.qp.Modify(attr))
	return attr
}

// TestCMByHand connects queue pairs that the identifiers know only by number.
func TestCMByHand(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	own := func(id verbs.CMID) *endpoint {
		t.Helper()
		e := r.bare(id)
		var err error
		e.qp, err = e.pd.CreateQP(e.spec())
		r.must(err)
		r.closeAtEnd(e.qp)
		r.modify(e, verbs.QPInit)
		r.receive(e)
		return e
	}
	listeners, listener := r.listener(verbs.PortSpaceTCP)
	clients, id := r.resolved(verbs.PortSpaceTCP, listener.LocalAddr())
	client := own(id)
	r.must(id.Connect(verbs.CMConnParam{QPNum: client.qp.Num(), RetryCount: 7, RNRRetryCount: 7}))
	request := r.next(listeners)
	if request.Type != verbs.CMConnectRequest || request.Conn.QPNum != client.qp.Num() {
		t.Fatalf("%+v", request)
	}
	r.closeAtEnd(request.ID)
	server := own(request.ID)
	if attr := r.modify(server, verbs.QPRTR); attr.DestQPNum != client.qp.Num() {
		t.Errorf("RTR with %+v", attr)
	}
	r.modify(server, verbs.QPRTS)
	r.must(request.ID.Accept(verbs.CMConnParam{QPNum: server.qp.Num()}))
	if event := r.want(clients, verbs.CMConnectResponse, id); event.Conn.QPNum != server.qp.Num() {
		t.Errorf("%+v", event.Conn)
	}
	r.modify(client, verbs.QPRTR)
	r.modify(client, verbs.QPRTS)
	r.must(id.Establish())
	r.want(listeners, verbs.CMEstablished, request.ID)
	r.message(client, server, "by hand")
	r.message(server, client, "likewise")
	if err := id.Notify(verbs.EventCommEst); !errors.Is(err, syscall.EISCONN) {
		t.Errorf("COMM_EST on an established connection: %v", err)
	}
	r.must(id.Disconnect())
	r.want(listeners, verbs.CMDisconnected, request.ID)
}

// TestCMMigrate moves an identifier with a pending event to a channel on which a reader
// waits.
func TestCMMigrate(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	from, to := r.channel(), r.channel()
	id := r.id(from, verbs.PortSpaceTCP)
	r.must(id.ResolveAddr(netip.AddrPort{}, netip.AddrPortFrom(vmAddr, 1), time.Second))
	time.Sleep(200 * time.Millisecond) // usually the event is pending by now; it must arrive in either case
	got := make(chan verbs.CMEvent, 1)
	go func() {
		event, err := to.GetEvent(context.Background())
		if err != nil {
			t.Error(err)
		}
		got <- event
	}()
	time.Sleep(50 * time.Millisecond) // as above
	r.must(id.Migrate(to))
	select {
	case event := <-got:
		if event.Type != verbs.CMAddrResolved || event.ID != id {
			t.Errorf("%s of %v", event.Type, event.ID)
		}
	case <-time.After(patience):
		t.Fatal("the event did not arrive")
	}
	r.must(from.Close())
	var busy *verbs.BusyError
	if err := to.Close(); !errors.As(err, &busy) {
		t.Errorf("closing the channel that the identifier is on: %v", err)
	}
	if err := id.Migrate(from); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("to a closed channel: %v", err)
	}
	r.must(id.Migrate(to))
	r.must(id.ResolveRoute(time.Second))
	r.want(to, verbs.CMRouteResolved, id)
}

// TestCMCloseWithEventsUnderWay closes identifiers while their events are delivered:
// each event names an identifier of the channel, and no Close hangs.
func TestCMCloseWithEventsUnderWay(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	listeners, listener := r.listener(verbs.PortSpaceTCP)
	ch := r.channel()
	ctx, cancel := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	events := 0
	read := func(ch verbs.CMEventChannel, each func(verbs.CMEvent)) {
		readers.Go(func() {
			for {
				event, err := ch.GetEvent(ctx)
				if errors.Is(err, context.Canceled) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				each(event)
			}
		})
	}
	read(listeners, func(event verbs.CMEvent) {
		if event.Type == verbs.CMConnectRequest {
			if err := event.ID.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	read(ch, func(event verbs.CMEvent) {
		events++
		switch event.Type { // each of these may find the identifier closed
		case verbs.CMAddrResolved:
			_ = event.ID.ResolveRoute(time.Second)
		case verbs.CMRouteResolved:
			_ = event.ID.Connect(verbs.CMConnParam{QPNum: 77})
		}
		_, _ = event.ID.LocalAddr(), event.ID.Device()
	})
	const rounds = 60
	for n := range rounds {
		id, err := ch.CreateID(verbs.PortSpaceTCP)
		r.must(err)
		r.must(id.ResolveAddr(netip.AddrPort{}, listener.LocalAddr(), time.Second))
		time.Sleep(time.Duration(n%12) * 500 * time.Microsecond) // so that events arrive before and after the Close
		r.must(id.Close())
	}
	cancel()
	readers.Wait()
	t.Logf("%d events of %d identifiers were delivered", events, rounds)
}

func TestCMCloseEndsTheWait(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	ch := r.channel()
	done := make(chan error, 1)
	go func() { _, err := ch.GetEvent(context.Background()); done <- err }()
	time.Sleep(5 * time.Millisecond) // usually it waits by now; it must return in either case
	r.must(ch.Close())
	r.must(ch.Close())
	select {
	case err := <-done:
		if !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("%v, want ErrClosed", err)
		}
	case <-time.After(patience):
		t.Fatal("the wait did not return")
	}
	if _, err := ch.CreateID(verbs.PortSpaceTCP); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
}

// TestCMObjectsOutliveTheIdentifier: an object made on the identifier's device stays
// usable, and the device is closed with the last object.
func TestCMObjectsOutliveTheIdentifier(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	_, id := r.listener(verbs.PortSpaceTCP)
	dev := id.Device()
	pd, err := dev.AllocPD()
	r.must(err)
	r.must(id.Close())
	_, err = dev.QueryDevice()
	r.must(err)
	_, other := r.listener(verbs.PortSpaceTCP)
	if other.Device() != dev {
		t.Error("another identifier is on another device")
	}
	r.must(other.Close())
	r.must(pd.Close())
	if _, err := dev.QueryDevice(); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("the device is still open: %v", err)
	}
	// librdmacm's own domain remains; the library frees it with the next identifier
	// that is destroyed.
	for _, line := range append(resources(t), cmResources(t)...) {
		if !strings.HasPrefix(line, "pd:") || !strings.Contains(line, "users 0 ") {
			t.Errorf("left behind: %s", line)
		}
	}
}

// TestCMStockServer plays the part of rdma_client.
func TestCMStockServer(t *testing.T) {
	vmtest.Need(t)
	server := exec.Command(vmtest.Program(t, "rdma_server"), "-p", "7471")
	var out strings.Builder
	server.Stdout, server.Stderr = &out, &out
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); !strings.Contains(run(t, "rdma", "resource", "show", "cm_id"),
		"LISTEN"); {
		if time.Now().After(deadline) {
			t.Fatal("the server does not listen: ", out.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
	r := openCM(t)
	ch, id := r.resolved(verbs.PortSpaceTCP, netip.AddrPortFrom(vmAddr, 7471))
	e := r.endpoint(id)
	r.receive(e)
	r.must(id.Connect(verbs.CMConnParam{RetryCount: 7, RNRRetryCount: 7}))
	r.want(ch, verbs.CMEstablished, id)
	_, err := e.qp.PostSend(verbs.SendWR{
		Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(e.mr, 2048, 16),
	})
	r.must(err)
	// The SEND may never complete: rxe completes a RECV before it acknowledges it, and
	// the server may have exited in between.
	for !r.completion(e).Opcode.IsRecv() {
	}
	r.must(id.Disconnect())
	if err := server.Wait(); err != nil {
		t.Errorf("rdma_server: %v\n%s", err, out.String())
	}
}
