package soft

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// recipe is the fuzzer's bytes, read as choices. Missing bytes read as zero.
type recipe struct{ b []byte }

func (r *recipe) u8() (v uint8) {
	if len(r.b) > 0 {
		v, r.b = r.b[0], r.b[1:]
	}
	return v
}

func (r *recipe) u16() uint16 { return uint16(r.u8())<<8 | uint16(r.u8()) }

func (r *recipe) u32() uint32 { return uint32(r.u16())<<16 | uint32(r.u16()) }

func (r *recipe) bytes(n int) []byte {
	n = min(n, len(r.b))
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

// pick returns one of the likely values, or a value made of further bytes if the choice is beyond them.
func pick[T any](r *recipe, other func() T, likely ...T) T {
	if i := int(r.u8()); i < 16*len(likely) {
		return likely[i%len(likely)]
	}
	return other()
}

// knownOpcodes is every opcode of the table.
var knownOpcodes = func() (all []wire.Opcode) {
	for op := range 256 {
		if _, known := wire.Opcode(op).Info(); known {
			all = append(all, wire.Opcode(op))
		}
	}
	return all
}()

// step does what the recipe's next byte selects: mostly it sends a nearly valid packet.
func (w *hostileWorld) step(r *recipe) {
	switch kind := r.u8(); kind {
	case 0xff:
		w.put(r.bytes(int(r.u8()))) // anything
	case 0xfe:
		w.settle()
	case 0xfd:
		w.postRecv(w.pairs[int(r.u8())%len(w.pairs)])
	case 0xfc:
		q := w.pairs[int(r.u8())%len(w.pairs)]
		// some are refused
		_ = q.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTS + verbs.QPState(r.u8())%4})
	case 0xfb:
		w.postSends(w.pairs[int(r.u8())%len(w.pairs)])
	case 0xfa:
		w.replaceOpen()
	default:
		w.put(w.packet(r, w.pairs[int(kind)%len(w.pairs)]))
	}
}

// packet makes one for the queue pair: each field is mostly valid, otherwise invalid.
func (w *hostileWorld) packet(r *recipe, q *hostilePair) []byte {
	op := pick(r, func() wire.Opcode { return wire.Opcode(r.u8()) }, knownOpcodes[int(r.u8())%len(knownOpcodes)])
	info, _ := op.Info()
	n := pick(r, func() int { return int(r.u16()) % (wire.MaxLen - 100) }, 0, 1, 8, hostileMTU,
		hostileMTU-1, hostileMTU+1, 500)
	p := wire.Packet{
		BTH: wire.BTH{
			Opcode: op, PKey: pick(r, r.u16, object.FullPKey), DestQP: pick(r, r.u32, uint32(q.Num())) & 0xffffff,
			PSN: w.psn(r, q, info), AckReq: r.u8()&1 != 0, Solicited: r.u8()&1 != 0,
		},
		DETH: wire.DETH{QKey: pick(r, r.u32, q.o.QKey), SrcQP: rawQPN},
		AETH: wire.AETH{Syndrome: pick(r, func() wire.Syndrome { return wire.Syndrome(r.u8()) }, wire.ACKUnlimited,
			wire.NAK(0), wire.RNRNAK(1)), MSN: uint32(r.u8())},
		ImmDt:   wire.ImmDt{Data: 0x01020304},
		Payload: pattern(n, 0x5a),
	}
	va, key := w.target(r)
	p.RETH = wire.RETH{
		VA: va, RKey: key, DMALen: pick(r, r.u32, uint32(n), 0, 8, 2*hostileMTU, hostileMTU+3, hostileSize, 1<<31,
			1<<31+1, 0xffffffff),
	}
	p.AtomicETH = wire.AtomicETH{VA: va, RKey: key, SwapAdd: uint64(r.u8()), Compare: uint64(r.u8())}
	p.IETH.RKey = key
	return p.Append(nil)
}

// psn is the one that the queue pair expects, or one nearby.
func (w *hostileWorld) psn(r *recipe, q *hostilePair, info wire.OpcodeInfo) wire.PSN {
	base, oldest := q.PSNs()
	if info.Response {
		base = oldest
	}
	return base.Add(pick(r, func() int { return int(int32(r.u32())) >> 8 }, 0, 0, 0, 1, -1, 2, -2, 3))
}

// target is an address and a key, of one region or of two.
func (w *hostileWorld) target(r *recipe) (va uint64, key uint32) {
	m := w.regions[0]
	if i := int(r.u8()); i >= 128 {
		m = w.regions[i%len(w.regions)]
	}
	va = m.Addr() + pick(r, func() uint64 { return uint64(int64(int32(r.u32()))) }, 0, 8, hostileSize-8, hostileSize,
		hostileSize-1, 1, 1<<63)
	key = pick(r, r.u32, m.RKey(), m.RKey(), w.regions[int(r.u8())%len(w.regions)].RKey())
	return va, key
}

// put sends a packet with a valid ICRC, which needs at least a BTH.
func (w *hostileWorld) put(data []byte) {
	if len(data) < wire.BTHLen {
		return
	}
	k := w.port.Pool().Get(nil, 1)[0]
	k.Path = w.path
	k.Data = append(k.Data, data[:min(len(data), wire.MaxLen-wire.ICRCLen)]...)
	w.port.Send([]*link.Packet{k})
}

// FuzzDevice sends sequences of packets, from nearly valid to random, to live queue pairs: nothing is placed where it
// may not, every request completes once, and nothing panics.
func FuzzDevice(f *testing.F) {
	for _, seed := range deviceSeeds() {
		f.Add(seed)
	}
	w := newHostileWorld(f)
	f.Fuzz(func(t *testing.T, b []byte) { w.attack(t, b) })
}

// deviceSeeds has for each opcode a valid packet: alone, twice, and after another one.
func deviceSeeds() (seeds [][]byte) {
	for i := range knownOpcodes {
		for pair := range byte(4) {
			one := []byte{pair, byte(i), 0, 3, 0, 0, 0, 0, 0, 0, 1, 0, 0}
			seeds = append(seeds, one, append(append([]byte{}, one...), one...))
		}
	}
	raw := (&wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, PKey: object.FullPKey, PSN: 100}}).Append(nil)
	raw = binary.BigEndian.AppendUint32(raw, 0)
	return append(seeds, append([]byte{0xff, byte(len(raw))}, raw...), []byte{0xfc, 0, 0, 0xfc, 1, 6, 0xfe})
}

// TestHostileSequences does the same with seeded random recipes, many in one process: each starts with the state that
// the last one left.
func TestHostileSequences(t *testing.T) {
	w := newHostileWorld(t)
	random := rand.New(rand.NewPCG(1, 2))
	n := 20000
	if testing.Short() {
		n = 2000
	}
	for i := range n {
		b := make([]byte, random.IntN(400))
		for j := range b {
			if b[j] = byte(random.Uint32()); random.IntN(2) == 0 {
				b[j] &= 15 // the likely choices
			}
		}
		w.attack(t, b)
		if t.Failed() {
			t.Fatalf("recipe %d: % x", i, b)
		}
	}
}

// attack runs one recipe.
func (w *hostileWorld) attack(t testing.TB, b []byte) {
	w.begin(t)
	for r := (&recipe{b[:min(len(b), 600)]}); len(r.b) > 0; {
		w.step(r)
	}
	w.settle()
	w.finish(t)
}
