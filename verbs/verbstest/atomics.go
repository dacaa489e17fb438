package verbstest

import (
	"encoding/binary"
	"errors"
	"math"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

const word = 8 // bytes of an atomic's operand

func fillWord(t *testing.T, mr verbs.MR, v uint64, off int64) {
	t.Helper()
	fill(t, mr, binary.NativeEndian.AppendUint64(nil, v), off)
}

func wantWord(t *testing.T, mr verbs.MR, want uint64, off int64) {
	t.Helper()
	if got := readWord(t, mr, off); got != want {
		t.Errorf("the word at %d is 0x%x, want 0x%x", off, got, want)
	}
}

func readWord(t *testing.T, mr verbs.MR, off int64) uint64 {
	t.Helper()
	var b [word]byte
	if n, err := mr.ReadAt(b[:], off); n != word || err != nil {
		t.Fatalf("ReadAt: %d bytes, %v", n, err)
	}
	return binary.NativeEndian.Uint64(b[:])
}

// testAtomics checks the result of both operations and the memory after them; IBA 9.4.5.
func testAtomics(t *testing.T, b *bench) {
	tests := []struct {
		name    string
		op      verbs.WROpcode
		operand uint64
		swap    uint64
		before  uint64
		after   uint64
		wcOp    verbs.WCOpcode
	}{
		{"compare-and-swap that matches", verbs.WRAtomicCmpAndSwp, 0x1122334455667788, 0xa1a2a3a4a5a6a7a8,
			0x1122334455667788, 0xa1a2a3a4a5a6a7a8, verbs.WCCompSwap},
		{"compare-and-swap that does not", verbs.WRAtomicCmpAndSwp, 0x1122334455667788, 0xa1a2a3a4a5a6a7a8,
			0x1122334455667789, 0x1122334455667789, verbs.WCCompSwap},
		{"compare-and-swap of zeros", verbs.WRAtomicCmpAndSwp, 0, 0, 0, 0, verbs.WCCompSwap},
		{"fetch-and-add", verbs.WRAtomicFetchAndAdd, 0x100000001, 0, 0xffffffff, 0x200000000, verbs.WCFetchAdd},
		{"fetch-and-add of nothing", verbs.WRAtomicFetchAndAdd, 0, 0, 77, 77, verbs.WCFetchAdd},
		{"fetch-and-add that overflows", verbs.WRAtomicFetchAndAdd, 3, 0, math.MaxUint64 - 1, 1, verbs.WCFetchAdd},
	}
	p := b.newPair(pairOptions{access: everyRemote})
	local, remote := b.newMR(64, verbs.LocalWrite), b.newMR(64, localAndAll)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			guard := pattern(64, byte(tt.before))
			fill(t, remote, guard, 0)
			fillWord(t, remote, tt.before, 16)
			fill(t, local, guard, 0)
			wc := b.wantComplete(p.a, verbs.SendWR{
				WRID: 1, Opcode: tt.op, SGList: sge(local, 32, word), RemoteAddr: remote.Addr() + 16,
				RKey: remote.RKey(), CompareAdd: tt.operand, Swap: tt.swap,
			}, verbs.WCSuccess)
			if wc.Opcode != tt.wcOp || wc.ByteLen != word || wc.QPNum != p.a.Num() {
				t.Errorf("%s; want %s of %d bytes on %s", describe(wc), tt.wcOp, word, p.a.Num())
			}
			wantWord(t, local, tt.before, 32)
			wantWord(t, remote, tt.after, 16)
			for _, mr := range []struct {
				verbs.MR
				at int64
			}{{local, 32}, {remote, 16}} {
				wantBytes(t, mr, guard[:mr.at], 0)
				wantBytes(t, mr, guard[mr.at+word:], mr.at+word)
			}
		})
	}
}

func testRefusedAtomics(t *testing.T, b *bench) {
	all := verbs.LocalWrite | everyRemote
	tests := []struct {
		name   string
		access verbs.Access // of the peer's queue pair
		local  verbs.Access
		remote verbs.Access
		change func(wr *verbs.SendWR)
		status verbs.WCStatus
	}{
		{"not on 8 bytes", everyRemote, verbs.LocalWrite, all, func(wr *verbs.SendWR) { wr.RemoteAddr += 4 },
			verbs.WCRemInvReqErr},
		{"a bad rkey", everyRemote, verbs.LocalWrite, all, func(wr *verbs.SendWR) { wr.RKey ^= 0x5a5a00 },
			verbs.WCRemAccessErr},
		{"behind the end", everyRemote, verbs.LocalWrite, all, func(wr *verbs.SendWR) { wr.RemoteAddr += 64 },
			verbs.WCRemAccessErr},
		{"before the start", everyRemote, verbs.LocalWrite, all, func(wr *verbs.SendWR) { wr.RemoteAddr -= word },
			verbs.WCRemAccessErr},
		{"a region without REMOTE_ATOMIC", everyRemote, verbs.LocalWrite, verbs.LocalWrite | allRemote, nil,
			verbs.WCRemAccessErr},
		{"a queue pair without REMOTE_ATOMIC", allRemote, verbs.LocalWrite, all, nil, verbs.WCRemInvReqErr},
		{"a result that cannot be placed", everyRemote, 0, all, nil, verbs.WCLocProtErr},
	}
	for _, tt := range tests {
		for _, op := range []verbs.WROpcode{verbs.WRAtomicCmpAndSwp, verbs.WRAtomicFetchAndAdd} {
			b.part(tt.name+" "+op.String(), func(t *testing.T, b *bench) {
				p := b.newPair(pairOptions{access: tt.access})
				local, remote := b.newMR(64, tt.local), b.newMR(64, tt.remote)
				fill(t, remote, pattern(64, 3), 0)
				wr := verbs.SendWR{WRID: 1, Opcode: op, SGList: sge(local, 0, word), RemoteAddr: remote.Addr(),
					RKey:       remote.RKey(),
					CompareAdd: readWord(t, remote, 0), Swap: 9}
				if tt.change != nil {
					tt.change(&wr)
				}
				if wr.RemoteAddr%word != 0 && b.env.has(AtomicAlignAtPost) {
					if n, err := p.a.PostSend(wr); n != 0 || !errors.Is(err, syscall.EINVAL) {
						t.Errorf("PostSend accepted %d: %v; want EINVAL", n, err)
					}
					return
				}
				b.wantComplete(p.a, wr, tt.status)
				wantState(t, p.a, verbs.QPErr)
				if tt.status != verbs.WCLocProtErr { // with this status the peer has executed it
					wantBytes(t, remote, pattern(64, 3), 0)
				}
				wantBytes(t, local, make([]byte, 64), 0)
			})
		}
	}
}

// testConcurrentAtomics lets several connections add to one word: each must fetch a
// different value.
func testConcurrentAtomics(t *testing.T, b *bench) {
	const pairs, each = 3, 16
	counter := b.newMR(word, localAndAll)
	results := b.newMR(pairs*each*word, verbs.LocalWrite)
	for i := range uint64(pairs) {
		p := b.newPair(pairOptions{access: everyRemote})
		wrs := make([]verbs.SendWR, each)
		for j := range uint64(each) {
			n := i*each + j
			wrs[j] = verbs.SendWR{WRID: n, Opcode: verbs.WRAtomicFetchAndAdd, SendFlags: verbs.SendSignaled,
				SGList:     sge(results, n*word, word),
				RemoteAddr: counter.Addr(), RKey: counter.RKey(), CompareAdd: 1}
		}
		b.postSend(p.a, wrs...)
	}
	got := b.completions(pairs * each)
	var found [pairs * each]bool
	for n := range uint64(pairs * each) {
		wantStatus(t, got, n, verbs.WCSuccess)
		v := readWord(t, results, int64(n*word))
		if v >= pairs*each || found[v] {
			t.Fatalf("request %d found %d, which is out of range or was found before", n, v)
		}
		found[v] = true
	}
	wantWord(t, counter, pairs*each, 0)
}
