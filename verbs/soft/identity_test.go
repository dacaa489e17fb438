package soft

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// TestStableGUID: an address keeps its GUID, and differs from others and from the same address elsewhere.
func TestStableGUID(t *testing.T) {
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	seen := map[verbs.GUID]bool{}
	for _, host := range []string{"one", "two"} {
		for _, addr := range []netip.Addr{a, b, {}} {
			g := stableGUID([]byte(host), addr)
			if seen[g] || g[0] != 0x02 || g != stableGUID([]byte(host), addr) {
				t.Errorf("%s on %s: %s", addr, host, g)
			}
			seen[g] = true
		}
	}
}

func TestPathMTU(t *testing.T) {
	v4, v6 := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	for _, tt := range []struct {
		bytes int
		addr  netip.Addr
		want  verbs.MTU
	}{
		{65536, v4, verbs.MTU4096}, {9000, v6, verbs.MTU4096}, {1500, v4, verbs.MTU1024}, {1500, v6, verbs.MTU1024},
		{4200, v6, verbs.MTU4096}, {4100, v4, verbs.MTU2048}, {1088, v4, verbs.MTU1024}, {1087, v4, verbs.MTU512},
		{4180, v6, verbs.MTU4096}, {4179, v6, verbs.MTU2048}, {1280, v6, verbs.MTU1024}, {0, v4, verbs.MTU256},
	} {
		if got := pathMTU(tt.bytes, tt.addr); got != tt.want {
			t.Errorf("%d bytes, %s: %s, want %s", tt.bytes, tt.addr, got, tt.want)
		}
	}
}

// TestFallBack requests addresses that are not available: both devices exist, in memory, and one line says why.
func TestFallBack(t *testing.T) {
	taken := loopbackProvider(t)
	for _, tt := range []struct {
		addr netip.Addr
		want []string
	}{
		{netip.MustParseAddr("192.0.2.99"), []string{"192.0.2.99", "'ip addr'"}},
		{taken.devices()[0].addrs[0], []string{"in use", "another program"}},
	} {
		p := New(Options{UDP: &UDPOptions{Addrs: []netip.Addr{tt.addr}}})
		infos, err := p.Devices()
		notes := verbs.NotesOn(p, "soft1")
		if err != nil || len(infos) != 2 || len(notes) != 1 || strings.Contains(notes[0], "\n") {
			t.Fatalf("%+v, %v, %q", infos, err, notes)
		}
		for _, want := range tt.want {
			if !strings.Contains(notes[0], want) {
				t.Errorf("%q lacks %q", notes[0], want)
			}
		}
		connect(t, p, "soft0", "soft1", pairOptions{})
	}
}

// TestFreeLoopback: devices without a configured address take free ones, and a second provider's devices take others.
func TestFreeLoopback(t *testing.T) {
	seen := map[verbs.GID]bool{}
	for range 2 {
		p := New(Options{UDP: &UDPOptions{}})
		if why := p.Notes(); len(why) > 0 {
			t.Skip(why)
		}
		for _, device := range []string{"soft0", "soft1"} {
			s := newSide(t, p, device, pairOptions{GIDIndex: -1}.WithDefaults())
			gids := must(s.Dev.QueryGIDTable())(t)
			port := must(s.Dev.QueryPort(1))(t)
			if len(gids) != 1 || !gids[0].GID.Addr().IsLoopback() || gids[0].Netdev == "" || seen[gids[0].GID] ||
				port.ActiveMTU != verbs.MTU4096 {
				t.Errorf("%s: %+v, active_mtu %s", device, gids, port.ActiveMTU)
			}
			seen[gids[0].GID] = true
		}
	}
}

// TestMachine: the first file that has an ID counts, and the host's name where none has.
func TestMachine(t *testing.T) {
	dir := t.TempDir()
	empty, full, other, short := filepath.Join(dir, "empty"), filepath.Join(dir, "full"), filepath.Join(dir, "other"),
		filepath.Join(dir, "short")
	for name, text := range map[string]string{empty: "", full: "id\n", other: "another\n", short: "s"} {
		ok(t, os.WriteFile(name, []byte(text), 0o600))
	}
	name, err := os.Hostname()
	ok(t, err)
	before := machineFiles
	defer func() { machineFiles = before }()
	for want, files := range map[string][]string{"id\n": {full, other}, "s": {short, full},
		"another\n": {dir, empty, other, full}, name: {empty, filepath.Join(dir, "none")}} {
		if machineFiles = files; string(machine()) != want {
			t.Errorf("%q: %q, want %q", files, machine(), want)
		}
	}
}

func bindPlain(addr netip.Addr) (*link.Endpoint, error) { return link.Bind(addr, link.Options{}) }

// TestBindAll: without addresses, those in use are passed over, and any other error ends the search; with addresses,
// each must be free. What was bound before an error is released.
func TestBindAll(t *testing.T) {
	spare := loopbackProvider(t).devices()[0].addrs[0].Next()
	given := []netip.Addr{loopback(7), loopback(8)}
	const all = -1
	for _, tt := range []struct {
		name   string
		addrs  []netip.Addr
		free   int // the only address that can be bound, by its place; or all
		err    error
		bound  int
		want   error
		called int
	}{
		{"all are free", nil, all, nil, maxDevices, nil, maxDevices},
		{"all are in use", nil, loopbacks, syscall.EADDRINUSE, 0, errNoneFree, loopbacks},
		{"all but one are in use", nil, 3, syscall.EADDRINUSE, 0, errNoneFree, loopbacks},
		{"a port that may not be bound", nil, 0, syscall.EACCES, 0, syscall.EACCES, 2},
		{"given", given, all, nil, 2, nil, 2},
		{"one given", given[:1], all, nil, 1, nil, 1},
		{"one of those given is in use", given, 0, syscall.EADDRINUSE, 0, syscall.EADDRINUSE, 2},
	} {
		called := 0
		var open []*link.Endpoint
		bound, err := (&UDPOptions{Addrs: tt.addrs}).bindAll(func(addr netip.Addr) (*link.Endpoint, error) {
			if want := append(tt.addrs, loopback(called))[min(called, len(tt.addrs))]; addr != want {
				t.Errorf("%s: asked for %s, want %s", tt.name, addr, want)
			}
			if called++; tt.free != all && called-1 != tt.free {
				return nil, tt.err
			}
			e := must(bindPlain(spare))(t)
			spare = spare.Next()
			open = append(open, e)
			return e, nil
		})
		if len(bound) != tt.bound || !errors.Is(err, tt.want) || called != tt.called {
			t.Errorf("%s: %d bound with %d calls, %v", tt.name, len(bound), called, err)
		}
		giveUp(bound, nil)
		for _, e := range open {
			if err := e.Close(); err == nil {
				t.Errorf("%s: %s was left open", tt.name, e.Addr())
			}
		}
	}
}

// TestRemedies: what a user is told depends on why the port cannot be bound.
func TestRemedies(t *testing.T) {
	spare := loopbackProvider(t).devices()[0].addrs[0].Next()
	for _, tt := range []struct {
		err  error
		free int // the first loopback address that can be bound
		want string
	}{
		{syscall.EADDRNOTAVAIL, 0, "does not have the address"},
		{syscall.EADDRINUSE, loopbacks - 1, "another program"},
		{syscall.EADDRINUSE, loopbacks, "rdma_rxe"},
		{errNoneFree, loopbacks, "rdma_rxe"},
		{errAllInUse, 0, "rdma_rxe"}, // found out before
		{syscall.EACCES, loopbacks, ""},
	} {
		got := remedy(tt.err, func(addr netip.Addr) (*link.Endpoint, error) {
			if addr.Less(loopback(tt.free)) {
				return nil, syscall.EADDRINUSE
			}
			return bindPlain(spare)
		})
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%v, %d is free: %q", tt.err, tt.free, got)
		}
	}
	ok(t, must(bindPlain(spare))(t).Close()) // each was closed again
	for n, want := range map[int]int{goodBuffer: 0, goodBuffer - 1: 1} {
		notes := bufferNotes("soft1", n)
		if len(notes) != want || want > 0 &&
			(!slices.Equal(notes[0].Devices, []string{"soft1"}) || !strings.HasPrefix(notes[0].Text, "soft1 ")) {
			t.Errorf("%d bytes: %+v", n, notes)
		}
	}
}

// TestDefaultAddresses: without addresses, the first free loopback addresses are bound.
func TestDefaultAddresses(t *testing.T) {
	bound, err := (&UDPOptions{}).bindAll(bindPlain)
	if errors.Is(err, errNoneFree) || errors.Is(err, syscall.EACCES) {
		t.Skip(err)
	}
	ok(t, err)
	defer giveUp(bound, nil)
	if len(bound) != maxDevices {
		t.Fatalf("%d addresses", len(bound))
	}
	first, second := bound[0].Addr(), bound[1].Addr()
	if !first.Less(second) || first.Less(loopback(0)) || loopback(loopbacks-1).Less(second) {
		t.Errorf("%s and %s", first, second)
	}
	other := loopbackProvider(t).devices()[0].addrs[0] // not free
	if all, err := (&UDPOptions{Addrs: []netip.Addr{other}}).bindAll(bindPlain); !errors.Is(err, syscall.EADDRINUSE) ||
		errors.Is(err, errNoneFree) || all != nil {
		t.Errorf("%v, %v", all, err)
	}
	own := netip.MustParseAddr("127.77.5.1")
	if all, err := (&UDPOptions{Addrs: []netip.Addr{own}}).bindAll(bindPlain); errors.Is(err, errNoneFree) ||
		err != nil && !errors.Is(err, syscall.EADDRINUSE) || err == nil && (len(all) != 1 || all[0].Addr() != own) {
		t.Errorf("%v, %v", all, err)
	} else {
		giveUp(all, nil)
	}
	one, err := (&UDPOptions{Addrs: []netip.Addr{first}}).bindAll(bindPlain)
	if !errors.Is(err, syscall.EADDRINUSE) || one != nil {
		t.Errorf("bound again: %v, %v", one, err)
	}
}
