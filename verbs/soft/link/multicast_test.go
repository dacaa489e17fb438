package link

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
	"testing"
)

var (
	group4 = netip.MustParseAddr("239.1.2.3")
	group6 = netip.MustParseAddr("ff0e::1:2:3")
)

// TestGroups sends to groups whose members come and go: each member receives a whole copy, and so does the sender if it
// has joined.
func TestGroups(t *testing.T) {
	for _, tt := range []struct {
		name  string
		group netip.Addr
		from  netip.Addr
	}{{"IPv4", group4, addrA}, {"IPv6", group6, addr6}} {
		t.Run(tt.name, func(t *testing.T) {
			var f Fabric
			a, b, c := attach(t, &f, tt.from), attach(t, &f, addrB), attach(t, &f, netip.MustParseAddr("192.0.2.3"))
			way := path(t, tt.from, tt.group)
			sent := uint64(0)
			want := func(who string, na, nb, nc int) {
				t.Helper()
				a.Send(packets(a, way, 2))
				sent += 2
				for i, p := range []struct {
					*end
					n int
				}{{a, na}, {b, nb}, {c, nc}} {
					got := p.Receive(nil, 9)
					if len(psns(t, got)) != p.n {
						t.Errorf("%s: port %d has %d packets, want %d", who, i, len(got), p.n)
					}
					for _, k := range got {
						if k.Path != way {
							t.Errorf("%s: port %d does not see the group", who, i)
						}
					}
					p.Pool().Put(got)
				}
			}
			join := func(p *end) { must(t, p.Join(tt.group)) }
			leave := func(p *end) { must(t, p.Leave(tt.group)) }
			want("nobody", 0, 0, 0)
			if got := a.Counters().Unreachable; got != 2 {
				t.Errorf("%d packets to no member, want 2", got)
			}
			join(b)
			join(c)
			want("two", 0, 2, 2)
			join(a)
			join(c) // twice
			want("all", 2, 2, 2)
			leave(c)
			leave(b)
			want("as often as it joined", 2, 0, 2)
			leave(c)
			want("the sender alone", 2, 0, 0)
			if err := c.Leave(tt.group); !errors.Is(err, syscall.EADDRNOTAVAIL) {
				t.Errorf("leaving once more: %v", err)
			}
			join(b)
			b.Close()
			a.Close()
			if len(f.groups) != 0 {
				t.Errorf("closed ports are still members: %v", f.groups)
			}
			if err := b.Join(tt.group); !errors.Is(err, net.ErrClosed) {
				t.Errorf("joining after Close: %v", err)
			}
			if got := a.Counters(); got.Unreachable != 2 || got.Sent != sent {
				t.Errorf("%+v", got)
			}
		})
	}
	t.Run("no group", func(t *testing.T) {
		var f Fabric
		if err := attach(t, &f, addrA).Join(addrB); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%v, want EINVAL", err)
		}
	})
}

// TestGroupCopies damages a packet that goes to a group after one member has received its copy: the copies of the
// others stay intact.
func TestGroupCopies(t *testing.T) {
	var f Fabric
	a, b := attach(t, &f, addrA), attach(t, &f, addrB)
	must(t, a.Join(group4))
	must(t, b.Join(group4))
	a.Send(packets(a, path(t, addrA, group4), 1))
	mine := a.Receive(nil, 1)
	clear(mine[0].Data)
	if got := psns(t, b.Receive(nil, 1)); len(got) != 1 {
		t.Error("two members share a buffer")
	}
	if n := len(f.pool.idle); n != 1 {
		t.Errorf("%d packets are back in the pool, want the one that was copied", n)
	}
}

// TestGroupOfOthers closes a port that has left a group: it stays the group of the port that is in it.
func TestGroupOfOthers(t *testing.T) {
	var f Fabric
	a, b, c := attach(t, &f, addrA), attach(t, &f, addrB), attach(t, &f, netip.MustParseAddr("192.0.2.3"))
	must(t, b.Join(group4))
	must(t, b.Leave(group4))
	must(t, c.Join(group4))
	must(t, b.Close())
	a.Send(packets(a, path(t, addrA, group4), 1))
	if got := c.Receive(nil, 1); len(got) != 1 {
		t.Error("the group has no member")
	}
}

// TestGroupCrowding fills the queue of one member: the sender is paused, as for a single destination.
func TestGroupCrowding(t *testing.T) {
	var f Fabric
	a, b := attach(t, &f, addrA), attach(t, &f, addrB)
	must(t, b.Join(group4))
	a.Send(packets(a, path(t, addrA, group4), highWater+1))
	if a.Ready() {
		t.Error("not paused")
	}
	b.Receive(nil, highWater+1)
	if !a.Ready() || a.woken.Load() != 1 {
		t.Error("not resumed")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
