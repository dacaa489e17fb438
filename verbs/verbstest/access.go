package verbstest

import (
	"fmt"
	"math"
	"testing"

	"rdmatui/verbs"
)

// oneSided lists every operation on the peer's memory and the right that it needs.
var oneSided = []struct {
	op   verbs.WROpcode
	need verbs.Access
}{
	{verbs.WRRDMAWrite, verbs.RemoteWrite},
	{verbs.WRRDMAWriteWithImm, verbs.RemoteWrite},
	{verbs.WRRDMARead, verbs.RemoteRead},
	{verbs.WRAtomicCmpAndSwp, verbs.RemoteAtomic},
	{verbs.WRAtomicFetchAndAdd, verbs.RemoteAtomic},
}

// remoteRights lists every combination of the three rights.
func remoteRights() (all []verbs.Access) {
	for i := range verbs.Access(8) {
		all = append(all, i*verbs.RemoteWrite)
	}
	return all
}

// testRegionAccess tries each operation on regions with each combination of
// rights; IBA 10.6.3, 9.7.4.1.5.
func testRegionAccess(t *testing.T, b *bench) {
	for _, rights := range remoteRights() {
		for _, o := range oneSided {
			want := verbs.WCSuccess
			if rights&o.need == 0 {
				want = verbs.WCRemAccessErr
			}
			b.part(fmt.Sprintf("%s with %s", o.op, rights), func(t *testing.T, b *bench) {
				b.tryAccess(t, o.op, verbs.LocalWrite|rights, everyRemote, want)
			})
		}
	}
	b.part("READ with REMOTE_READ alone", func(t *testing.T, b *bench) {
		b.tryAccess(t, verbs.WRRDMARead, verbs.RemoteRead, everyRemote, verbs.WCSuccess)
	})
}

// testQPAccess does the same with the rights of the peer's queue pair: a region with all
// rights does not replace them; IBA 9.7.4.1.4.
func testQPAccess(t *testing.T, b *bench) {
	for _, rights := range remoteRights() {
		for _, o := range oneSided {
			want := verbs.WCSuccess
			if rights&o.need == 0 {
				want = verbs.WCRemInvReqErr
			}
			b.part(fmt.Sprintf("%s with %s", o.op, rights), func(t *testing.T, b *bench) {
				b.tryAccess(t, o.op, localAndAll, rights, want)
			})
		}
	}
}

// testAccessTakenAway changes the rights of a queue pair that is in use.
func testAccessTakenAway(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: everyRemote})
	local, remote := b.newMR(word, verbs.LocalWrite), b.newMR(word, localAndAll)
	write := verbs.SendWR{
		WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(local, 0, word), RemoteAddr: remote.Addr(), RKey: remote.RKey(),
	}
	read := write
	read.Opcode = verbs.WRRDMARead
	b.wantComplete(p.a, write, verbs.WCSuccess)
	b.must(p.b.Modify(verbs.QPAttr{Mask: verbs.AttrAccessFlags, QPAccessFlags: verbs.RemoteRead}))
	b.wantComplete(p.a, read, verbs.WCSuccess)
	fill(t, local, pattern(word, 1), 0)
	b.wantComplete(p.a, write, verbs.WCRemInvReqErr)
	wantBytes(t, remote, make([]byte, word), 0)
}

// testEmptyRequests posts requests of zero bytes: the responder ignores key and address,
// but checks the rights of the queue pair. IBA 9.7.4.1.5.
func testEmptyRequests(t *testing.T, b *bench) {
	for _, op := range []verbs.WROpcode{verbs.WRRDMAWrite, verbs.WRRDMARead} {
		b.part(op.String(), func(t *testing.T, b *bench) {
			empty := verbs.SendWR{WRID: 1, Opcode: op, RemoteAddr: 0xdeadbeef, RKey: 0x5a5a5a5a}
			b.wantComplete(b.newPair(pairOptions{access: allRemote}).a, empty, verbs.WCSuccess)
			b.wantComplete(b.newPair(pairOptions{}).a, empty, verbs.WCRemInvReqErr)
		})
	}
}

// tryAccess performs one operation in the middle of a region, between two other regions, and
// fails if other bytes changed, or if a refused operation changed any.
func (b *bench) tryAccess(t *testing.T, op verbs.WROpcode, region, qp verbs.Access, want verbs.WCStatus) {
	t.Helper()
	const size, at, n = 256, 96, word
	p := b.newPair(pairOptions{access: qp})
	local := b.newMR(n, verbs.LocalWrite)
	around := []verbs.MR{b.newMR(size, localAndAll), b.newMR(size, region), b.newMR(size, localAndAll)}
	for i, mr := range around {
		fill(t, mr, pattern(size, byte(i)), 0)
	}
	before, remote := pattern(size, 1), around[1]
	fill(t, local, pattern(n, 77), 0)
	wr := verbs.SendWR{WRID: 1, Opcode: op, SendFlags: verbs.SendSignaled, SGList: sge(local, 0, n),
		RemoteAddr: remote.Addr() + at, RKey: remote.RKey(),
		CompareAdd: readWord(t, remote, at), Swap: readWord(t, local, 0)}
	after, result := append([]byte{}, before...), pattern(n, 77)
	switch {
	case want != verbs.WCSuccess:
	case op == verbs.WRRDMARead:
		result = before[at : at+n]
	case op == verbs.WRAtomicFetchAndAdd:
		result = before[at : at+n]
		wr.CompareAdd = 0
	case op == verbs.WRAtomicCmpAndSwp:
		copy(after[at:], result)
		result = before[at : at+n]
	default:
		copy(after[at:], result)
	}
	count := 1
	if op.Traits().NeedRecv {
		b.postRecv(p.b, verbs.RecvWR{WRID: 2})
		count = 2
	}
	b.postSend(p.a, wr)
	got := b.completions(count)
	wantStatus(t, got, 1, want)
	if count == 2 && want == verbs.WCSuccess {
		wantStatus(t, got, 2, verbs.WCSuccess)
	} else if count == 2 && got[2].Status == verbs.WCSuccess {
		t.Error("the RECV of a refused request succeeded")
	}
	wantBytes(t, remote, after, 0)
	wantBytes(t, local, result, 0)
	wantBytes(t, around[0], pattern(size, 0), 0)
	wantBytes(t, around[2], pattern(size, 2), 0)
}

// testForeignKeys uses keys of another protection domain, of closed regions and of no
// region, both as rkey and as lkey.
func testForeignKeys(t *testing.T, b *bench) {
	keys := []struct {
		name string
		make func(b *bench) (usable verbs.MR, key uint32)
	}{
		{"another PD", func(b *bench) (verbs.MR, uint32) {
			mr := b.newMRIn(b.newPD(), 64, localAndAll)
			return mr, mr.RKey()
		}},
		{"a closed region", func(b *bench) (verbs.MR, uint32) {
			mr, gone := b.newMR(64, localAndAll), b.newMR(64, localAndAll)
			key := gone.RKey()
			b.must(gone.Close())
			return mr, key
		}},
		{"nothing", func(b *bench) (verbs.MR, uint32) {
			mr := b.newMR(64, localAndAll)
			return mr, mr.RKey() ^ 0x5a5a00
		}},
	}
	for _, k := range keys {
		for _, o := range oneSided {
			b.part(fmt.Sprintf("%s with the rkey of %s", o.op, k.name), func(t *testing.T, b *bench) {
				p := b.newPair(pairOptions{access: everyRemote})
				local := b.newMR(64, verbs.LocalWrite)
				remote, key := k.make(b)
				if o.op.Traits().NeedRecv {
					b.postRecv(p.b, verbs.RecvWR{WRID: 2})
				}
				b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: o.op, SendFlags: verbs.SendSignaled,
					SGList: sge(local, 0, word), RemoteAddr: remote.Addr(), RKey: key})
				count := 1
				if o.op.Traits().NeedRecv {
					count = 2
				}
				wantStatus(t, b.completions(count), 1, verbs.WCRemAccessErr)
				wantState(t, p.b, verbs.QPErr)
				wantBytes(t, remote, make([]byte, 64), 0)
			})
		}
		b.part("the lkey of "+k.name, func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: everyRemote})
			local, key := k.make(b)
			list := []verbs.SGE{{Addr: local.Addr(), Length: 8, LKey: key}}
			b.wantComplete(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: list},
				requesterStatus(b.env, expect(b.env, BadLKeyIsQPErr, verbs.WCLocProtErr, verbs.WCLocQPOpErr)))
		})
		b.part("a RECV with the lkey of "+k.name, func(t *testing.T, b *bench) {
			// IBA 9.9.3, class A: the responder's own fault, reported to the peer.
			p := b.newPair(pairOptions{access: everyRemote})
			local, key := k.make(b)
			from := b.newMR(64, verbs.LocalWrite)
			b.postRecv(p.b, verbs.RecvWR{WRID: 2, SGList: []verbs.SGE{{Addr: local.Addr(), Length: 8, LKey: key}}})
			b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: sge(from, 0, 8)})
			got := b.completions(2)
			wantStatus(t, got, 1, verbs.WCRemOpErr)
			wantStatus(t, got, 2, expect(b.env, BadLKeyIsQPErr, verbs.WCLocProtErr, verbs.WCLocQPOpErr))
			wantBytes(t, local, make([]byte, 64), 0)
		})
	}
	testRecvPastItsRegion(b)
}

// testRecvPastItsRegion: the bytes of a RECV that a message does not need may be outside the region, whatever the MTU.
func testRecvPastItsRegion(b *bench) {
	const size, n = 4096, 600
	for _, mtu := range []verbs.MTU{verbs.MTU256, verbs.MTU1024} {
		b.part(fmt.Sprintf("a RECV past its region, path MTU %s", mtu), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{mtu: mtu})
			src, dst := b.newMR(size, verbs.LocalWrite), b.newMR(size, verbs.LocalWrite)
			b.postRecv(p.b, verbs.RecvWR{WRID: 2, SGList: sge(dst, size-n, 2*n)},
				verbs.RecvWR{WRID: 4, SGList: sge(dst, size-n, 2*n)})
			b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: sge(src, 0, n),
				SendFlags: verbs.SendSignaled})
			got := b.completions(2)
			wantStatus(t, got, 1, verbs.WCSuccess)
			wantStatus(t, got, 2, verbs.WCSuccess)
			b.postSend(p.a, verbs.SendWR{WRID: 3, Opcode: verbs.WRSend, SGList: sge(src, 0, n+1)})
			got = b.completions(2)
			wantStatus(t, got, 3, verbs.WCRemOpErr)
			wantStatus(t, got, 4, expect(b.env, BadLKeyIsQPErr, verbs.WCLocProtErr, verbs.WCLocQPOpErr))
		})
	}
}

// testRanges accesses ranges that lie partly or wholly outside a region, including the end
// of the address space.
func testRanges(t *testing.T, b *bench) {
	const size, n = 4096, 1500 // more than one packet
	ranges := []struct {
		name string
		at   func(base uint64) uint64
	}{
		{"across the end", func(base uint64) uint64 { return base + size - n + 1 }},
		{"behind the end", func(base uint64) uint64 { return base + size }},
		{"across the start", func(base uint64) uint64 { return base - 1 }},
		{"address 0", func(uint64) uint64 { return 0 }},
		{"up to the end of the address space", func(uint64) uint64 { return math.MaxUint64 - n + 1 }},
		{"around the end of the address space", func(uint64) uint64 { return math.MaxUint64 - n + 2 }},
	}
	for _, r := range ranges {
		for _, op := range []verbs.WROpcode{verbs.WRRDMAWrite, verbs.WRRDMARead} {
			b.part(fmt.Sprintf("%s %s", op, r.name), func(t *testing.T, b *bench) {
				p := b.newPair(pairOptions{access: everyRemote})
				local, remote := b.newMR(size, verbs.LocalWrite), b.newMR(size, localAndAll)
				fill(t, local, pattern(size, 1), 0)
				fill(t, remote, pattern(size, 2), 0)
				b.wantComplete(p.a, verbs.SendWR{WRID: 1, Opcode: op, SGList: sge(local, 0, n),
					RemoteAddr: r.at(remote.Addr()), RKey: remote.RKey()}, verbs.WCRemAccessErr)
				wantBytes(t, local, pattern(size, 1), 0)
				wantBytes(t, remote, pattern(size, 2), 0)
			})
			b.part(fmt.Sprintf("%s locally %s", op, r.name), func(t *testing.T, b *bench) {
				p := b.newPair(pairOptions{access: everyRemote})
				local, remote := b.newMR(size, verbs.LocalWrite), b.newMR(size, localAndAll)
				list := []verbs.SGE{{Addr: r.at(local.Addr()), Length: n, LKey: local.LKey()}}
				status := verbs.WCLocProtErr
				if op == verbs.WRRDMAWrite { // a READ fails when its response arrives
					status = requesterStatus(b.env, status)
				}
				b.wantComplete(p.a, verbs.SendWR{WRID: 1, Opcode: op, SGList: list, RemoteAddr: remote.Addr(),
					RKey: remote.RKey()}, status)
				wantState(t, p.a, verbs.QPErr)
			})
		}
	}
}
