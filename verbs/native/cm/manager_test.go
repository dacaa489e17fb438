//go:build linux

package cm

import (
	"errors"
	"math"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

func TestSockaddrs(t *testing.T) {
	for _, text := range []string{"10.9.0.1:7471", "0.0.0.0:0", "[::]:65535", "[2001:db8::1]:1", "[fe80::1%lo]:20886",
		"[fe80::1%4000000000]:1"} {
		addr := netip.MustParseAddrPort(text)
		raw, err := rawSockaddr(addr)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := sockaddr(raw); got != addr {
			t.Errorf("%s became %s", text, got)
		}
	}
	mapped, err := rawSockaddr(netip.MustParseAddrPort("[::ffff:10.9.0.1]:258"))
	if err != nil || mapped.Family != abi.AFInet || sockaddr(mapped) != netip.MustParseAddrPort("10.9.0.1:258") {
		t.Errorf("a mapped address: %v, %v", sockaddr(mapped), err)
	}
	for name, addr := range map[string]netip.AddrPort{"no address": {},
		"no such interface": netip.MustParseAddrPort("[fe80::1%nosuch]:1")} {
		if _, err := rawSockaddr(addr); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	for _, family := range []uint16{abi.AFUnspec, abi.AFIB, 0xffff} {
		if got := sockaddr(&abi.SockaddrStorage{Family: family}); got.IsValid() {
			t.Errorf("family %d became %v", family, got)
		}
	}
}

func TestCMCallsReachC(t *testing.T) {
	f := newFakeCM(t)
	id := f.id(f.channel(), verbs.PortSpaceTCP)
	f.bindTo(id)
	a, b := netip.MustParseAddrPort("10.9.0.1:1"), netip.MustParseAddrPort("[2001:db8::2]:2")
	param := verbs.CMConnParam{
		PrivateData: []byte("private"), ResponderResources: 1, InitiatorDepth: 2, FlowControl: true,
		RetryCount: 3, RNRRetryCount: 4, SRQ: true, QPNum: 5,
	}
	raw := abi.ConnParam{
		PrivateDataLen: 7, ResponderResources: 1, InitiatorDepth: 2, FlowControl: 1, RetryCount: 3,
		RNRRetryCount: 4, SRQ: 1, QPNum: 5,
	}
	tests := []struct {
		name  string
		op    string
		call  func() error
		check func(fakeCall) bool
	}{
		{"bind_addr", "", func() error { return id.BindAddr(a) },
			func(c fakeCall) bool { return sockaddr(&c.addr[0]) == a }},
		{"resolve_addr", "", func() error { return id.ResolveAddr(a, b, 1500*time.Microsecond) },
			func(c fakeCall) bool { return sockaddr(&c.addr[0]) == a && sockaddr(&c.addr[1]) == b && c.args[2] == 2 }},
		{"resolve_addr", "", func() error { return id.ResolveAddr(netip.AddrPort{}, b, math.MaxInt64) },
			func(c fakeCall) bool {
				return c.args[0] == 0 && sockaddr(&c.addr[1]) == b && c.args[2] == math.MaxInt32
			}},
		{"resolve_route", "", func() error { return id.ResolveRoute(time.Second) },
			func(c fakeCall) bool { return c.args[0] == 1000 }},
		{"listen", "", func() error { return id.Listen(9) }, func(c fakeCall) bool { return c.args[0] == 9 }},
		{"connect", "", func() error { return id.Connect(param) },
			func(c fakeCall) bool { return sameParam(c, raw, "private") }},
		{"connect", "", func() error { return id.Connect(verbs.CMConnParam{}) },
			func(c fakeCall) bool { return c.conn == abi.ConnParam{} }},
		{"accept", "", func() error { return id.Accept(param) },
			func(c fakeCall) bool { return sameParam(c, raw, "private") }},
		{"reject", "", func() error { return id.Reject([]byte("no")) },
			func(c fakeCall) bool { return string(c.data) == "no" }},
		{"disconnect", "", id.Disconnect, nil},
		{"establish", "", id.Establish, nil},
		{"notify", "", func() error { return id.Notify(verbs.EventCommEst) },
			func(c fakeCall) bool { return c.args[0] == uintptr(verbs.EventCommEst) }},
		{"set_option", "", func() error { return id.SetOption(verbs.CMOptTOS, 200) },
			func(c fakeCall) bool { return c.args[0] == 0 && c.args[1] == 0 && string(c.data) == "\xc8" }},
		{"set_option", "", func() error { return id.SetOption(verbs.CMOptReuseAddr, 1) },
			func(c fakeCall) bool { return c.args[1] == 1 && string(c.data) == "\x01\x00\x00\x00" }},
		{"set_option", "", func() error { return id.SetOption(7, 1) },
			func(c fakeCall) bool { return c.args[0] == 0 && c.args[1] == 7 }},
		{"join", "rdma_join_multicast", func() error { return id.JoinMulticast(a.Addr()) },
			func(c fakeCall) bool { return sockaddr(&c.addr[0]).Addr() == a.Addr() }},
		{"leave", "rdma_leave_multicast", func() error { return id.LeaveMulticast(a.Addr()) },
			func(c fakeCall) bool { return sockaddr(&c.addr[0]).Addr() == a.Addr() }},
	}
	for _, tt := range tests {
		f.errno = 0
		if err := tt.call(); err != nil || f.last().name != tt.name || f.last().id != id.ptr || tt.check != nil &&
			!tt.check(f.last()) {
			t.Errorf("%s: %v, C got %+v", tt.name, err, f.last())
		}
		if tt.op == "" {
			tt.op = "rdma_" + tt.name
		}
		f.errno = syscall.EADDRINUSE
		var failed *verbs.OpError
		if err := tt.call(); !errors.As(err, &failed) || failed.Op != tt.op || !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s: %v, want EADDRINUSE", tt.name, err)
		}
	}
}

func sameParam(c fakeCall, want abi.ConnParam, data string) bool {
	c.conn.PrivateData = 0
	return c.conn == want && string(c.data) == data
}

// TestCMGroups: an identifier is a member of the groups that it joined and did not leave, each by the address that C
// knows it by. It leaves them when it is closed.
func TestCMGroups(t *testing.T) {
	f := newFakeCM(t)
	id := f.id(f.channel(), verbs.PortSpaceUDP)
	f.bindTo(id)
	a, b := netip.MustParseAddr("239.0.0.1"), netip.MustParseAddr("ff0e::2")
	known := map[netip.Addr]abi.SockaddrStorage{}
	for _, step := range []struct {
		call  func(netip.Addr) error
		group netip.Addr
		errno syscall.Errno
		want  []netip.Addr
	}{
		{id.JoinMulticast, a, syscall.EADDRNOTAVAIL, nil}, {id.JoinMulticast, a, 0, []netip.Addr{a}},
		{id.JoinMulticast, b, 0, []netip.Addr{a, b}}, {id.LeaveMulticast, b, syscall.EINVAL, []netip.Addr{a, b}},
		{id.LeaveMulticast, a, 0, []netip.Addr{b}},
	} {
		f.errno = step.errno
		err := step.call(step.group)
		got := id.groups()
		slices.SortFunc(got, netip.Addr.Compare)
		if (err == nil) != (step.errno == 0) || !slices.Equal(got, step.want) {
			t.Errorf("%s: %v, member of %v, want %v", step.group, err, got, step.want)
		}
		if addr, ok := known[step.group]; ok && f.last().addr[0] != addr {
			t.Errorf("%s: C got %+v, and %+v before", step.group, f.last().addr[0], addr)
		}
		known[step.group] = f.last().addr[0]
	}
	f.calls = nil
	if err := id.Close(); err != nil || len(f.calls) != 2 || f.calls[0].name != "leave" ||
		f.calls[0].addr[0] != known[b] {
		t.Errorf("%v, C got %+v", err, f.calls)
	}
}

// TestCMPrivateData: private data may fill its field, whose length has 8 bits.
func TestCMPrivateData(t *testing.T) {
	f := newFakeCM(t)
	id := f.id(f.channel(), verbs.PortSpaceTCP)
	f.bindTo(id)
	for _, n := range []int{0, 1, 254, 255} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i + 1)
		}
		for name, call := range map[string]func() error{
			"connect": func() error { return id.Connect(verbs.CMConnParam{PrivateData: data}) },
			"accept":  func() error { return id.Accept(verbs.CMConnParam{PrivateData: data}) },
			"reject":  func() error { return id.Reject(data) },
		} {
			if err := call(); err != nil || string(f.last().data) != string(data) || f.last().name != name {
				t.Errorf("%s with %d bytes: %v, C got %q", name, n, err, f.last().data)
			}
		}
	}
}

func TestCMRefusesWhatCCannotTake(t *testing.T) {
	f := newFakeCM(t)
	ch := f.channel()
	id := f.id(ch, verbs.PortSpaceTCP)
	n := len(f.calls)
	big := make([]byte, 256)
	_, qpErr := id.CreateQP(nil, verbs.QPSpec{})
	for name, err := range map[string]error{
		"route without a device": id.ResolveRoute(0), "connect without": id.Connect(verbs.CMConnParam{}),
		"accept without": id.Accept(verbs.CMConnParam{}), "queue pair without": qpErr,
		"256 bytes": id.Connect(verbs.CMConnParam{PrivateData: big}), "256 bytes of reject": id.Reject(big),
		"time before now": id.ResolveRoute(-1), "backlog": id.Listen(1 << 40),
		"option":     id.SetOption(verbs.CMOptACKTimeout, 256),
		"int option": id.SetOption(verbs.CMOptAFOnly, 1<<31), "no address": id.BindAddr(netip.AddrPort{}),
		"no channel": id.Migrate(nil),
	} {
		if !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v, want EINVAL", name, err)
		}
	}
	if len(f.calls) != n {
		t.Errorf("C was called: %+v", f.calls[n:])
	}
	if err := id.Migrate(newFakeCM(t).channel()); !errors.Is(err, verbs.ErrForeignObject) {
		t.Errorf("another library's channel: %v", err)
	}
	if err := errors.Join(id.Close(), id.Close()); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{"listen": id.Listen(1), "migrate": id.Migrate(ch),
		"connect": id.Connect(verbs.CMConnParam{})} {
		if !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("%s on a closed identifier: %v", name, err)
		}
	}
}

func TestCMAnOlderLibrary(t *testing.T) {
	f := newFakeCM(t)
	id := f.id(f.channel(), verbs.PortSpaceTCP)
	f.cm.lib.establish, f.cm.lib.initQPAttr = dl.StatusFunc{}, dl.StatusFunc{}
	_, attrErr := id.InitQPAttr(verbs.QPInit)
	for _, err := range []error{id.Establish(), attrErr} {
		if !errors.Is(err, verbs.ErrUnsupported) ||
			!strings.Contains(err.Error(), "librdmacm with the symbol version RDMACM_1.2") {
			t.Errorf("%v", err)
		}
	}
	if _, err := Load(&f.host, new(dl.Thread), "libno-such.so.1"); !errors.Is(err, verbs.ErrUnsupported) ||
		!strings.Contains(err.Error(), "libno-such") {
		t.Errorf("%v", err)
	}
	for errno, want := range map[syscall.Errno]string{syscall.ENODEV: "an RDMA device", syscall.ENOENT: "rdma_ucm"} {
		if err := managerError("rdma_create_event_channel", errno); !errors.Is(err, verbs.ErrUnsupported) ||
			!errors.Is(err, errno) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	if err := managerError("rdma_create_event_channel", syscall.EACCES); errors.Is(err, verbs.ErrUnsupported) ||
		!errors.Is(err, syscall.EACCES) {
		t.Errorf("%v", err)
	}
}

// take makes the library deliver an event.
func (f *fakeCM) take(ch *Channel, event abi.CMEvent) verbs.CMEvent {
	f.Helper()
	f.event = event
	acked := f.acked
	got, err := ch.takeEvent()
	if err != nil || f.acked != acked+1 {
		f.Fatalf("%v, acknowledged %d times", err, f.acked-acked)
	}
	return got
}

func TestCMEventsAreCopied(t *testing.T) {
	f := newFakeCM(t)
	ch := f.channel()
	data := f.object()
	copy(dl.View[[8]byte](data)[:], "private!")
	tcp, udp := f.id(ch, verbs.PortSpaceTCP), f.id(ch, verbs.PortSpaceUDP)

	raw := abi.CMEvent{ID: tcp.ptr, Event: uint32(verbs.CMEstablished)}
	*raw.Conn() = abi.ConnParam{
		PrivateData: data, PrivateDataLen: 7, ResponderResources: 1, InitiatorDepth: 2, FlowControl: 1, RetryCount: 3,
		RNRRetryCount: 4, SRQ: 1, QPNum: 5,
	}
	e := f.take(ch, raw)
	want := verbs.CMConnParam{
		ResponderResources: 1, InitiatorDepth: 2, FlowControl: true, RetryCount: 3, RNRRetryCount: 4,
		SRQ: true, QPNum: 5,
	}
	dl.View[[8]byte](data)[0] = 'X' // C has freed it by now
	if got := string(e.Conn.PrivateData); got != "private" || e.ID != verbs.CMID(tcp) || e.Type != verbs.CMEstablished {
		t.Errorf("%q, %+v", got, e)
	}
	e.Conn.PrivateData = nil
	if got := e.Conn; got.QPNum != want.QPNum || got.FlowControl != want.FlowControl || got.SRQ != want.SRQ ||
		got.RetryCount != 3 ||
		got.RNRRetryCount != 4 || got.ResponderResources != 1 || got.InitiatorDepth != 2 {
		t.Errorf("%+v, want %+v", got, want)
	}

	raw = abi.CMEvent{ID: udp.ptr, Event: uint32(verbs.CMEstablished)}
	*raw.UD() = abi.UDParam{
		PrivateData: data, PrivateDataLen: 1, AHAttr: abi.AHAttr{DLID: 9, PortNum: 1}, QPNum: 5, QKey: 6,
	}
	if e := f.take(ch, raw); string(e.UD.PrivateData) != "X" || e.UD.QPNum != 5 || e.UD.QKey != 6 ||
		e.UD.AH != (verbs.AHAttr{DLID: 9, PortNum: 1}) || e.Conn.QPNum != 0 {
		t.Errorf("%+v", e)
	}
	raw.Event = uint32(verbs.CMMulticastJoin)
	if e := f.take(ch, raw); e.UD.PrivateData != nil || e.UD.QKey != 6 {
		t.Errorf("the caller's context was mistaken for private data: %+v", e)
	}
}

// TestCMHostileEvents: only valid memory is read, whatever lengths and pointers an
// event has.
func TestCMHostileEvents(t *testing.T) {
	f := newFakeCM(t)
	ch := f.channel()
	id := f.id(ch, verbs.PortSpaceTCP)
	raw := abi.CMEvent{ID: id.ptr, Event: uint32(verbs.CMRejected), Status: 28}
	raw.Conn().PrivateDataLen = 255
	if e := f.take(ch, raw); e.Conn.PrivateData != nil || e.Status != 28 {
		t.Errorf("%+v", e)
	}
	raw.Conn().PrivateData = f.object()
	if e := f.take(ch, raw); len(e.Conn.PrivateData) != 255 {
		t.Errorf("%d bytes of private data", len(e.Conn.PrivateData))
	}
	if e := f.take(ch, abi.CMEvent{ID: 0xdead0000, Event: uint32(verbs.CMDisconnected)}); e.ID != nil ||
		e.ListenID != nil {
		t.Errorf("a closed identifier: %+v", e)
	}
	ptr := f.object()
	e := f.take(ch, abi.CMEvent{ID: ptr, ListenID: 0xdead0000, Event: uint32(verbs.CMConnectRequest)})
	if e.ID == nil || e.ListenID != nil {
		t.Errorf("a request for a closed listener: %+v", e)
	}
	if e := f.take(ch, abi.CMEvent{Event: uint32(verbs.CMConnectRequest)}); e.ID != nil {
		t.Errorf("a request without an identifier: %+v", e)
	}
	if e := f.take(ch, abi.CMEvent{ID: id.ptr, Event: 12345, Status: -7}); e.Type != 12345 || e.Status != -7 ||
		e.ID != verbs.CMID(id) {
		t.Errorf("%+v", e)
	}
	*dl.View[abi.CMID](id.ptr) = abi.CMID{
		Route: abi.Route{Addr: abi.RDMAAddr{Src: abi.SockaddrStorage{Family: 0xabcd}}},
	}
	f.take(ch, raw)
	if id.LocalAddr().IsValid() {
		t.Errorf("%v", id.LocalAddr())
	}
}

func TestCMRequestsMakeIdentifiers(t *testing.T) {
	f := newFakeCM(t)
	ch := f.channel()
	listener := f.id(ch, verbs.PortSpaceUDP)
	ptr := f.object()
	dl.View[abi.CMID](ptr).PS = uint32(verbs.PortSpaceUDP)
	e := f.take(ch, abi.CMEvent{ID: ptr, ListenID: listener.ptr, Event: uint32(verbs.CMConnectRequest)})
	if e.ListenID != verbs.CMID(listener) || e.ID == nil || e.ID.PortSpace() != verbs.PortSpaceUDP {
		t.Fatalf("%+v", e)
	}
	var busy *verbs.BusyError
	if err := ch.Close(); !errors.As(err, &busy) || len(busy.UsedBy) != 2 {
		t.Errorf("%v", err)
	}
	if e2 := f.take(ch, abi.CMEvent{ID: ptr, Event: uint32(verbs.CMDisconnected)}); e2.ID != e.ID {
		t.Errorf("%+v", e2)
	}
}

// TestCMStatusOfTheLibrarysOwn: a call that the library makes while it gets an event
// fails with -1 and errno; -1 is not the event's status.
func TestCMStatusOfTheLibrarysOwn(t *testing.T) {
	for _, tt := range []struct {
		typ    verbs.CMEventType
		status int32
		errno  syscall.Errno
		want   int
	}{
		{verbs.CMConnectError, -1, syscall.ENOMEM, -int(syscall.ENOMEM)},
		{verbs.CMConnectError, -1, 0, -1},
		{verbs.CMConnectError, -110, syscall.ENOMEM, -110},
		{verbs.CMMulticastError, -1, syscall.EINVAL, -int(syscall.EINVAL)},
		{verbs.CMUnreachable, -1, syscall.EINVAL, -1},
		{verbs.CMRejected, 8, syscall.EINVAL, 8},
	} {
		if got := eventStatus(&abi.CMEvent{Event: uint32(tt.typ), Status: tt.status}, tt.errno); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

func TestCMQueuePair(t *testing.T) {
	f := newFakeCM(t)
	ch := f.channel()
	id := f.id(ch, verbs.PortSpaceUDP)
	f.bindTo(id)
	dev := id.Device()
	pd, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	spec := verbs.QPSpec{QPType: verbs.UD}
	if _, err := id.CreateQP(&fakeObject{}, spec); !errors.Is(err, verbs.ErrForeignObject) {
		t.Errorf("another device's domain: %v", err)
	}
	f.errno = syscall.ENOMEM
	if _, err := id.CreateQP(pd, spec); !errors.Is(err, syscall.ENOMEM) || id.QP() != nil {
		t.Errorf("%v", err)
	}
	f.errno = 0
	qp, err := id.CreateQP(pd, spec)
	if err != nil || id.QP() != qp || f.last().args[0] != domainPtr {
		t.Fatalf("%v, %+v", err, f.last())
	}
	var busy *verbs.BusyError
	if err := id.Close(); !errors.As(err, &busy) {
		t.Errorf("an identifier with a queue pair: %v", err)
	}
	group := netip.MustParseAddr("239.1.1.1")
	if err := id.JoinMulticast(group); err != nil {
		t.Fatal(err)
	}
	f.host.destroy = syscall.EBUSY
	if err := qp.Close(); !errors.As(err, &busy) || !slices.Equal(busy.UsedBy, []string{"multicast group 239.1.1.1"}) ||
		id.QP() != qp ||
		dl.View[abi.CMID](id.ptr).QP == 0 {
		t.Errorf("a queue pair of a group: %v", err)
	}
	f.host.destroy = nil
	if err := errors.Join(qp.Close(), qp.Close()); err != nil || id.QP() != nil || dl.View[abi.CMID](id.ptr).QP != 0 {
		t.Errorf("%v", err)
	}
	attr, err := id.InitQPAttr(verbs.QPRTR)
	if err != nil || attr.QPState != verbs.QPRTR || attr.Mask != verbs.AttrState|verbs.AttrPort ||
		attr.PortNum != 3 || attr.RQPSN != 0x123 {
		t.Errorf("%+v, %v", attr, err)
	}
	ptr := id.ptr
	if err := id.Close(); err != nil || f.last().name != "destroy_id" || f.last().id != ptr ||
		f.calls[len(f.calls)-2].name != "leave" {
		t.Errorf("%v, %+v", err, f.last())
	}
}

func TestCMMigrateMovesTheEvents(t *testing.T) {
	f := newFakeCM(t)
	from, to := f.channel(), f.channel()
	id := f.id(from, verbs.PortSpaceTCP)
	if err := id.moveTo(to); err != nil || f.last().args[0] != to.ptr {
		t.Fatalf("%v, %+v", err, f.last())
	}
	if e := f.take(to, abi.CMEvent{ID: id.ptr}); e.ID != verbs.CMID(id) {
		t.Errorf("%+v", e)
	}
	if e := f.take(from, abi.CMEvent{ID: id.ptr}); e.ID != nil {
		t.Errorf("the old channel still knows it: %+v", e)
	}
	if err := errors.Join(id.moveTo(to), id.moveTo(from), from.destroy()); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("%v", err)
	}
	if err := to.destroy(); err != nil {
		t.Error(err)
	}
	if err := id.moveTo(to); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("to a closed channel: %v", err)
	}
	f.errno = syscall.EBADF
	if err := id.moveTo(f.channel()); !errors.Is(err, syscall.EBADF) || id.ch != from {
		t.Errorf("%v", err)
	}
}
