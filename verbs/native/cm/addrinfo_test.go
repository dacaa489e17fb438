//go:build linux

package cm

import (
	"context"
	"errors"
	"net/netip"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// resolver stands in for rdma_getaddrinfo: it records its arguments and returns the
// answer that the test has set.
type resolver struct {
	mu            sync.Mutex // held in the calls, except while they wait
	node, service string
	hints         *abi.AddrInfo // nil if the caller passed none
	src           netip.AddrPort
	answer        abi.AddrInfo
	result        int32
	errno         int32
	freed         []uintptr
	hold          chan struct{} // calls return when it is closed; nil: immediately
}

// resolving is the resolver of the running test. Callbacks are a scarce resource, so
// all tests share one pair.
var resolving atomic.Pointer[resolver]

var resolverCalls = sync.OnceValues(func() (*library, error) {
	so, err := dl.Open("libc.so.6")
	if err != nil {
		return nil, err
	}
	location, err := dl.Bind[dl.ValueFunc](so, "__errno_location")
	return &library{
		getAddrInfo: dl.At[dl.CountFunc](so, dl.Callback(func(node, service, hints, out uintptr) uintptr {
			r := resolving.Load()
			r.note(node, service, hints)
			if r.result != 0 {
				*dl.View[int32](location.Call()) = r.errno
				return uintptr(uint32(r.result))
			}
			*dl.View[uintptr](out) = uintptr(unsafe.Pointer(&r.answer))
			return 0
		})),
		freeAddrInfo: dl.At[dl.ValueFunc](so, dl.Callback(func(list uintptr) uintptr {
			r := resolving.Load()
			r.freed = append(r.freed, list)
			return 0
		})),
	}, err
})

func (r *resolver) note(node, service, hints uintptr) {
	r.mu.Lock()
	r.node, r.service = dl.String(node, 256), dl.String(service, 256)
	if hints != 0 {
		raw := *dl.View[abi.AddrInfo](hints)
		r.hints, r.src = &raw, sockaddrAt(raw.SrcAddr, raw.SrcLen)
	}
	r.mu.Unlock()
	if r.hold != nil {
		<-r.hold
	}
}

func (r *resolver) manager(t *testing.T) *Manager {
	t.Helper()
	lib, err := resolverCalls()
	if err != nil {
		t.Fatal(err)
	}
	resolving.Store(r)
	return newManager(nil, lib)
}

func TestAddrInfoReachesC(t *testing.T) {
	r := &resolver{}
	cm := r.manager(t)
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pin := func(p any) uintptr { pinner.Pin(p); return reflect.ValueOf(p).Pointer() }
	dst, err := rawSockaddr(netip.MustParseAddrPort("[2001:db8::2]:7471"))
	if err != nil {
		t.Fatal(err)
	}
	ib := &abi.SockaddrIB{
		Family: abi.AFIB, Addr: netip.MustParseAddr("fe80::1").As16(), SID: [8]byte{5: 6, 6: 0x1d, 7: 0x2f},
	}
	name := pin(&[]byte("server.example\x00")[0])
	second := &abi.AddrInfo{Family: 10, QPType: 2, PortSpace: 0x106, DstAddr: pin(dst), DstLen: 28, DstCanonName: name}
	r.answer = abi.AddrInfo{Flags: 1, Family: 27, QPType: 4, PortSpace: 0x13f, SrcAddr: pin(ib),
		SrcLen: 48, SrcCanonName: name,
		RouteLen: 96, ConnectLen: 36, Next: pin(second)}
	pinner.Pin(&r.answer)

	hints := verbs.AddrInfoHints{Flags: verbs.AddrInfoPassive | verbs.AddrInfoNoRoute,
		Family: verbs.FamilyInet6, QPType: verbs.UD,
		PortSpace: verbs.PortSpaceIB, Src: netip.MustParseAddrPort("10.9.0.1:1")}
	got, err := cm.getAddrInfo(t.Context(), "server", "7471", hints)
	if err != nil {
		t.Fatal(err)
	}
	want := []verbs.AddrInfo{
		{Flags: verbs.AddrInfoPassive, Family: verbs.FamilyIB, QPType: verbs.UD, PortSpace: verbs.PortSpaceIB,
			Src: netip.MustParseAddrPort("[fe80::1]:7471"), SrcCanonName: "server.example", RouteLen: 96,
			ConnectLen: 36},
		{Family: verbs.FamilyInet6, QPType: verbs.RC, PortSpace: verbs.PortSpaceTCP,
			Dst: netip.MustParseAddrPort("[2001:db8::2]:7471"), DstCanonName: "server.example"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if r.node != "server" || r.service != "7471" || r.src != hints.Src {
		t.Errorf("C was asked for %q %q from %v", r.node, r.service, r.src)
	}
	if h := r.hints; h.Flags != 5 || h.Family != 10 || h.QPType != 4 || h.PortSpace != 0x13f || h.SrcLen != 16 {
		t.Errorf("%+v", h)
	}
	if len(r.freed) != 1 || r.freed[0] != uintptr(unsafe.Pointer(&r.answer)) {
		t.Errorf("freed: %x", r.freed)
	}
	r.hints = nil
	if _, err := cm.getAddrInfo(t.Context(), "", "7471", verbs.AddrInfoHints{}); err != nil ||
		r.hints != nil || r.node != "" {
		t.Errorf("%v, hints %+v, node %q", err, r.hints, r.node)
	}
}

// TestAddrInfoEndlessList: a list that the library links to itself is read up to a bound.
func TestAddrInfoEndlessList(t *testing.T) {
	r := &resolver{}
	cm := r.manager(t)
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&r.answer)
	r.answer = abi.AddrInfo{Family: 10, Next: uintptr(unsafe.Pointer(&r.answer))}
	if got, err := cm.getAddrInfo(t.Context(), "server", "7471", verbs.AddrInfoHints{}); err != nil || len(got) != 64 {
		t.Errorf("%d entries, %v, want 64", len(got), err)
	}
}

func TestAddrInfoErrors(t *testing.T) {
	r := &resolver{}
	cm := r.manager(t)
	minus2 := int32(verbs.AddrInfoNoName)
	for name, tt := range map[string]struct {
		result int32
		errno  int32
		want   []error
	}{
		"the code, as releases up to 44 return it": {minus2, 0, []error{verbs.AddrInfoNoName}},
		"the code in errno, as later ones do":      {-1, minus2, []error{verbs.AddrInfoNoName}},
		"errno":                                    {-1, int32(syscall.ENOMEM), []error{syscall.ENOMEM}},
		"the code of -1":                           {-1, 0, []error{verbs.AddrInfoBadFlags}},
		"a code with errno": {-11, int32(syscall.EMFILE),
			[]error{verbs.AddrInfoSystem, syscall.EMFILE}},
		"a stale errno":   {minus2, int32(syscall.ENOENT), []error{verbs.AddrInfoNoName}},
		"an unknown code": {-105, 0, []error{verbs.AddrInfoError(-105)}},
	} {
		r.result, r.errno = tt.result, tt.errno
		_, err := cm.getAddrInfo(t.Context(), "node", "", verbs.AddrInfoHints{})
		for _, want := range tt.want {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
	}
	r.result, r.errno = minus2, 0
	var failed *verbs.OpError
	infos, err := cm.GetAddrInfo(t.Context(), "node", "", verbs.AddrInfoHints{})
	if infos != nil || !errors.As(err, &failed) || failed.Op != "rdma_getaddrinfo" {
		t.Errorf("%v, %v, want an error of rdma_getaddrinfo", infos, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cm.GetAddrInfo(over, "node", "", verbs.AddrInfoHints{}); err != context.Canceled {
		t.Errorf("%v, want %v alone", err, context.Canceled)
	}
	if len(r.freed) != 0 {
		t.Errorf("freed what was not returned: %x", r.freed)
	}
	r.node = ""
	for name, call := range map[string]struct {
		node  string
		hints verbs.AddrInfoHints
		want  error
	}{
		"a NUL":             {"a\x00b", verbs.AddrInfoHints{}, syscall.EINVAL},
		"IPv4 as AF_IB":     {"10.9.0.1", verbs.AddrInfoHints{Family: verbs.FamilyIB}, verbs.AddrInfoAddrFamily},
		"a source of no OS": {"a", verbs.AddrInfoHints{Src: netip.MustParseAddrPort("[fe80::1%nosuch]:1")}, nil},
	} {
		_, err := cm.getAddrInfo(t.Context(), call.node, "", call.hints)
		if err == nil || call.want != nil && !errors.Is(err, call.want) || r.node != "" {
			t.Errorf("%s: %v; C was asked for %q", name, err, r.node)
		}
	}
}

// TestAddrInfoGivesUp: a caller does not hang when the resolver does not answer, nor
// when other lookups wait for it.
func TestAddrInfoGivesUp(t *testing.T) {
	r := &resolver{hold: make(chan struct{}), result: -3}
	cm := r.manager(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	const callers = maxLookups + 2
	for range callers {
		go func() {
			_, err := cm.getAddrInfo(ctx, "node", "", verbs.AddrInfoHints{})
			ended <- err
		}()
	}
	cancel()
	for range callers {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	close(r.hold)
	for range maxLookups { // all calls have returned when all tokens are free
		cm.lookups <- struct{}{}
	}
}

// TestAddrInfoTexts compares our texts with the C library's.
func TestAddrInfoTexts(t *testing.T) {
	so, err := dl.Open("libc.so.6")
	if err != nil {
		t.Fatal(err)
	}
	say, err := dl.Bind[dl.ValueFunc](so, "gai_strerror")
	if err != nil {
		t.Skip("this C library has no such function: ", err)
	}
	for _, code := range verbs.AddrInfoErrors.Values() {
		if got := dl.String(say.Call(uintptr(code)), 256); got != code.Error() && got != "Unknown error" {
			t.Errorf("%s: %q, in C %q", verbs.AddrInfoErrors.CName(code), code.Error(), got)
		}
	}
}
