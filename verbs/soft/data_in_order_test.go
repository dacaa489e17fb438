package soft

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"rdmatui/verbs"
)

// TestDataInOrder polls a buffer while messages arrive in it: before a byte that has changed, all have, also over a
// path that loses, repeats and reorders packets.
func TestDataInOrder(t *testing.T) {
	for path, faults := range map[string]verbs.Faults{
		"a good path": {}, "a bad path": {Duplicate: 0.05, Reorder: 0.05, Loss: 0.001, Seed: 1},
	} {
		for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWrite, verbs.WRRDMARead} {
			t.Run(op.String()+" over "+path, func(t *testing.T) {
				p := New(Options{})
				for _, device := range []string{"soft0", "soft1"} {
					ok(t, p.SetFaults(device, faults))
				}
				a, b := connect(t, p, "soft0", "soft1", pairOptions{MTU: verbs.MTU256})
				watchOrder(t, op, a, b)
			})
		}
	}
}

// watchOrder moves messages with one operation: a posts a SEND or WRITE, b a READ.
func watchOrder(t *testing.T, op verbs.WROpcode, a, b *side) {
	const size, rounds = 64 << 10, 24
	src, dst := a.NewMR(size, everything), b.NewMR(size, everything)
	random := rand.New(rand.NewPCG(1, uint64(op)))
	fill(t, dst, pattern(size, 0), 0)
	midway := 0 // reads that found part of the message
	for round := range byte(rounds) {
		data := pattern(size, round+1) // each byte differs from that of the round before
		fill(t, src, data, 0)
		from, wr := a, verbs.SendWR{WRID: 1, Opcode: op, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, size)}
		switch op {
		case verbs.WRSend:
			b.Recv(verbs.RecvWR{WRID: 2, SGList: sge(dst, 0, size)})
		case verbs.WRRDMAWrite:
			wr.RemoteAddr, wr.RKey = dst.Addr(), dst.RKey()
		case verbs.WRRDMARead:
			from, wr.SGList, wr.RemoteAddr, wr.RKey = b, sge(dst, 0, size), src.Addr(), src.RKey()
		}
		from.Send(wr)
		midway += pollLastByte(t, random, dst, data)
		from.Want(1, verbs.WCSuccess)
		if op == verbs.WRSend {
			b.Want(2, verbs.WCSuccess)
		}
	}
	if midway == 0 {
		t.Error("no message was seen midway")
	}
}

// pollLastByte reads bytes here and there until the last one has changed. Each time that one has, all before it must
// have. It returns how often that was before the end of the message.
func pollLastByte(t *testing.T, random *rand.Rand, mr verbs.MR, data []byte) (midway int) {
	one, got := make([]byte, 1), make([]byte, len(data))
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		at := len(data) - 1
		if random.IntN(4) > 0 {
			at = random.IntN(len(data))
		}
		if _, err := mr.ReadAt(one, int64(at)); err != nil {
			t.Fatal(err)
		}
		if one[0] != data[at] {
			continue
		}
		if _, err := mr.ReadAt(got[:at+1], 0); err != nil || !bytes.Equal(got[:at+1], data[:at+1]) {
			t.Fatalf("byte %d has changed, but not all before it; %v", at, err)
		}
		if at == len(data)-1 {
			return midway
		}
		midway++
	}
	t.Fatal("the message has not arrived")
	return midway
}
