package soft

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

// letter is a message that contains its number, from which its other bytes derive.
func letter(n uint32, size int) []byte {
	p := make([]byte, size)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16), 1}).Read(p)
	binary.BigEndian.PutUint32(p, n)
	return p
}

// towards brings up two queue pairs of an unreliable service and returns a SEND from one to the other.
func towards(t *testing.T, p *Provider, typ verbs.QPType) (a, b *side, to verbs.SendWR) {
	t.Helper()
	to = verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
	if typ == verbs.UC {
		a, b = connect(t, p, "soft0", "soft1", pairOptions{Typ: typ, MTU: verbs.MTU1024})
		return a, b, to
	}
	o := pairOptions{Typ: typ}.WithDefaults()
	a, b = newSide(t, p, "soft0", o), newSide(t, p, "soft1", o)
	datagram(t, a, 7)
	datagram(t, b, 7)
	ah := must(a.PD.CreateAH(verbs.AHAttr{IsGlobal: true, PortNum: 1,
		GRH: verbs.GlobalRoute{DGID: b.GID.GID, SGIDIndex: 1}}))(t)
	closeAtEnd(t, ah)
	to.AH, to.RemoteQPN, to.RemoteQKey = ah, b.QP.Num(), 7
	return a, b, to
}

// TestHarmedMessages sends over the unreliable services through heavy faults: completed messages are whole, whatever is
// lost.
func TestHarmedMessages(t *testing.T) {
	const count, batch, room = 2000, 20, 8192
	for _, tt := range []struct {
		typ  verbs.QPType
		size int
	}{{verbs.UC, 2500}, {verbs.UC, 100}, {verbs.UD, 3000}} {
		t.Run(fmt.Sprint(tt.typ, " ", tt.size), func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				a, b, to := towards(t, p, tt.typ)
				src, dst := a.NewMR(batch*room, everything), b.NewMR(2*batch*room, everything)
				head := 0
				if tt.typ == verbs.UD {
					head = verbs.GRHLen
				}
				harm(t, p, unreliable, 3)
				post := func(slot uint64) { b.Recv(verbs.RecvWR{WRID: slot, SGList: sge(dst, slot*room, room)}) }
				for slot := range uint64(2 * batch) {
					post(slot)
				}
				arrived := map[uint32]int{}
				buf := make([]byte, head+tt.size)
				for n := uint32(0); n < count; n += batch {
					for i := range uint32(batch) {
						fill(t, src, letter(n+i, tt.size), int64(i)*room)
						to.SGList = sge(src, uint64(i)*room, uint32(tt.size))
						a.Send(to)
					}
					a.Wait(batch)
					time.Sleep(asideForSure)
					synctest.Wait()
					var wcs [64]verbs.WC
					for _, wc := range wcs[:must(b.CQ.Poll(wcs[:]))(t)] {
						must(dst.ReadAt(buf, int64(wc.WRID)*room))(t)
						got := buf[head:]
						which := binary.BigEndian.Uint32(got)
						if wc.Status != verbs.WCSuccess || int(wc.ByteLen) != len(buf) ||
							!bytes.Equal(got, letter(which, tt.size)) {
							t.Fatalf("%+v: a message that nobody sent", wc)
						}
						arrived[which]++
						post(wc.WRID)
					}
				}
				if len(arrived) < count/4 || len(arrived) > count*9/10 {
					t.Errorf("%d of %d arrived", len(arrived), count)
				}
			})
		})
	}
}

// asideForSure is longer than a reordered packet is delayed.
const asideForSure = 10 * time.Millisecond

// TestHarmedWrites does the same with WRITEs of an unreliable connection, which may leave a part in memory: every byte
// is the one that belongs there, or untouched.
func TestHarmedWrites(t *testing.T) {
	const size, chunk = 1 << 20, 5000
	virtual(t, func(t *testing.T, p *Provider) {
		a, b := connect(t, p, "soft0", "soft1", pairOptions{Typ: verbs.UC, MTU: verbs.MTU1024})
		src, dst := a.NewMR(size, everything), b.NewMR(size, everything)
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(i%251) + 1
		}
		fill(t, src, want, 0)
		harm(t, p, unreliable, 5)
		for off := uint64(0); off+chunk <= size; off += chunk {
			a.Send(verbs.SendWR{Opcode: verbs.WRRDMAWrite, SGList: sge(src, off, chunk), RemoteAddr: dst.Addr() + off,
				RKey: dst.RKey(), SendFlags: verbs.SendSignaled})
			a.Want(0, verbs.WCSuccess)
		}
		time.Sleep(asideForSure)
		synctest.Wait()
		got := make([]byte, size)
		must(dst.ReadAt(got, 0))(t)
		written := 0
		for i, c := range got {
			if c != 0 && c != want[i] {
				t.Fatalf("byte %d is %d, want %d or none", i, c, want[i])
			}
			written += int(min(c, 1))
		}
		if written < size/4 || written == size {
			t.Errorf("%d of %d bytes were written", written, size)
		}
	})
}
