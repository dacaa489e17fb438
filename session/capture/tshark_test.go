package capture

import (
	"encoding/csv"
	"fmt"
	"math/bits"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/verbs/wire"
)

// dissection is a field of tshark and our value for it; ok is false if the packet has
// no such field.
type dissection struct {
	field string
	of    func(*wire.Packet) (v uint64, ok bool)
}

func bth(get func(*wire.BTH) uint64) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) { return get(&p.BTH), true }
}

func inHeader(h wire.Headers, get func(*wire.Packet) uint64) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) { return get(p), p.Headers.Has(h) }
}

func bit(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// syndrome returns a part of an ACK's syndrome if it is of that kind.
func syndrome(kind wire.SyndromeKind) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) {
		s := p.AETH.Syndrome
		return uint64(s & 0x1f), p.Headers.Has(wire.HasAETH) && s.Kind() == kind
	}
}

var dissections = []dissection{
	{"infiniband.bth.opcode", bth(func(b *wire.BTH) uint64 { return uint64(b.Opcode) })},
	{"infiniband.bth.se", bth(func(b *wire.BTH) uint64 { return bit(b.Solicited) })},
	{"infiniband.bth.m", bth(func(b *wire.BTH) uint64 { return bit(b.MigReq) })},
	{"infiniband.bth.padcnt", bth(func(b *wire.BTH) uint64 { return uint64(b.Pad) })},
	{"infiniband.bth.tver", bth(func(b *wire.BTH) uint64 { return uint64(b.TVer) })},
	{"infiniband.bth.p_key", bth(func(b *wire.BTH) uint64 { return uint64(b.PKey) })},
	{"infiniband.bth.destqp", bth(func(b *wire.BTH) uint64 { return uint64(b.DestQP) })},
	{"infiniband.bth.a", bth(func(b *wire.BTH) uint64 { return bit(b.AckReq) })},
	{"infiniband.bth.psn", bth(func(b *wire.BTH) uint64 { return uint64(b.PSN) })},
	{"infiniband.deth.q_key", inHeader(wire.HasDETH, func(p *wire.Packet) uint64 { return uint64(p.DETH.QKey) })},
	{"infiniband.deth.srcqp", inHeader(wire.HasDETH, func(p *wire.Packet) uint64 { return uint64(p.DETH.SrcQP) })},
	{"infiniband.reth.dmalen", inHeader(wire.HasRETH, func(p *wire.Packet) uint64 { return uint64(p.RETH.DMALen) })},
	{"infiniband.reth.va", remote(func(p *wire.Packet) (uint64, uint64) { return p.RETH.VA, p.AtomicETH.VA })},
	{"infiniband.reth.r_key", remote(func(p *wire.Packet) (uint64, uint64) { return uint64(p.RETH.RKey), uint64(p.AtomicETH.RKey) })},
	{"infiniband.atomiceth.swapdt", inHeader(wire.HasAtomicETH, func(p *wire.Packet) uint64 { return p.AtomicETH.SwapAdd })},
	{"infiniband.atomiceth.cmpdt", inHeader(wire.HasAtomicETH, func(p *wire.Packet) uint64 { return p.AtomicETH.Compare })},
	{"infiniband.aeth.syndrome.credit_count", syndrome(wire.SyndromeACK)},
	{"infiniband.aeth.syndrome.timer", syndrome(wire.SyndromeRNR)},
	{"infiniband.aeth.syndrome.error_code", syndrome(wire.SyndromeNAK)},
	{"infiniband.aeth.msn", inHeader(wire.HasAETH, func(p *wire.Packet) uint64 { return uint64(p.AETH.MSN) })},
	{"infiniband.atomicacketh.origremdt", inHeader(wire.HasAtomicAckETH, func(p *wire.Packet) uint64 { return p.AtomicAckETH.Orig })},
	{"infiniband.invariant.crc", func(p *wire.Packet) (uint64, bool) { return uint64(bits.ReverseBytes32(p.ICRC)), true }}, // shown as the bytes stand
}

// remote returns a field with the same name in RETH and AtomicETH.
func remote(get func(*wire.Packet) (reth, atomic uint64)) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) {
		reth, atomic := get(p)
		if p.Headers.Has(wire.HasRETH) {
			return reth, true
		}
		return atomic, p.Headers.Has(wire.HasAtomicETH)
	}
}

// everyPacket returns one packet of each opcode that a device sends, with each kind
// of syndrome, over IPv4 and IPv6; no two values are alike.
func everyPacket(t *testing.T) (all []*timeline.Packet) {
	paths := [][2]netip.AddrPort{
		{netip.MustParseAddrPort("10.9.0.1:49153"), netip.MustParseAddrPort("10.9.0.2:4791")},
		{netip.MustParseAddrPort("[fd00::1]:49153"), netip.MustParseAddrPort("[fd00::2]:4791")},
	}
	syndromes := []wire.Syndrome{wire.ACKUnlimited, wire.ACKWithCredits(6), wire.RNRNAK(12), wire.NAK(wire.NAKPSNSequence), wire.NAK(wire.NAKRemoteAccess)}
	for _, path := range paths {
		for o := range 256 {
			op := wire.Opcode(o)
			info, ok := op.Info()
			if !ok || op == wire.CNP || info.Operation == wire.OpFlush || info.Operation == wire.OpAtomicWrite { // never sent, or unknown to tshark: annex A19
				continue
			}
			n := uint32(len(all))
			p := wire.Packet{
				BTH: wire.BTH{Opcode: op, Solicited: n%2 == 0, MigReq: n%3 != 0, PKey: 0xffff, DestQP: 0x800000 + n, AckReq: n%5 == 0,
					PSN: wire.PSN(0xfffff0+n) & wire.PSNMask},
				DETH: wire.DETH{QKey: 0x11111111 + n, SrcQP: 0x900000 + n}, RETH: wire.RETH{VA: 0x7fff00000000 + uint64(n), RKey: 0xfe000000 + n, DMALen: 1 << 30},
				AtomicETH: wire.AtomicETH{VA: 0x7ffe00000000 + uint64(n), RKey: 0xfd000000 + n, SwapAdd: 1<<63 + uint64(n), Compare: 1<<62 + uint64(n)},
				AETH:      wire.AETH{Syndrome: syndromes[0], MSN: 0xabcd00 + n}, AtomicAckETH: wire.AtomicAckETH{Orig: 1<<61 + uint64(n)},
				ImmDt: wire.ImmDt{Data: 0xa0000000 + n}, IETH: wire.IETH{RKey: 0xb0000000 + n},
			}
			if info.Payload {
				p.Payload = []byte("no other protocol")[:1+n%9]
			}
			all = append(all, seal(t, "soft0", true, path[0], path[1], uint16(n), p))
			if op == wire.RCAcknowledge {
				for _, s := range syndromes[1:] {
					p.AETH.Syndrome = s
					all = append(all, seal(t, "soft0", true, path[0], path[1], uint16(n), p))
				}
			}
		}
	}
	return all
}

// TestTsharkAgrees writes one packet of each opcode to a file, reads it again and
// compares every field with tshark's.
// tshark must find no malformed packet and no bad checksum.
func TestTsharkAgrees(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("needs tshark")
	}
	packets := everyPacket(t)
	path := filepath.Join(t.TempDir(), "all.pcapng")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(f)
	for _, p := range packets {
		w.Write(p)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	// By default tshark first tries to decode a SEND as NFS, and a short one as
	// truncated NFS.
	args := []string{"-r", path, "--disable-protocol", "rpcordma", "-T", "fields", "-E", "separator=,", "-E", "occurrence=f", "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
		"-e", "_ws.malformed", "-e", "ip.checksum.status", "-e", "udp.checksum.status"}
	for _, d := range dissections {
		args = append(args, "-e", d.field)
	}
	command := exec.CommandContext(t.Context(), tshark, args...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir()) // no user's preferences
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(rows) != len(packets) {
		t.Fatalf("%d rows for %d packets: %v", len(rows), len(packets), err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		var f Frame
		if err := r.Next(&f); err != nil || f.ICRC != Right || f.Way != Out {
			t.Fatalf("packet %d: %v, ICRC %d, way %d", f.Seq, err, f.ICRC, f.Way)
		}
		compare(t, &f.Wire, row)
	}
}

// good is tshark's value for a valid checksum.
const good = "1"

func compare(t *testing.T, p *wire.Packet, row []string) {
	t.Helper()
	if row[0] != "" || row[1] != "" && row[1] != good || row[2] != good {
		t.Errorf("%v: malformed %q, IP checksum %q, UDP checksum %q", p, row[0], row[1], row[2])
	}
	for i, d := range dissections {
		want, has := d.of(p)
		got := row[3+i]
		switch {
		case !has && got == "":
		case !has:
			t.Errorf("%v: %s is %s and should not be there", p, d.field, got)
		default:
			if v, err := strconv.ParseUint(strings.TrimPrefix(got, "0x"), base(got), 64); err != nil || v != want {
				t.Errorf("%v: %s is %q, want %s", p, d.field, got, fmt.Sprintf("%d = 0x%x", want, want))
			}
		}
	}
}

// base returns the base of a number that tshark prints: flags are 0 and 1 or words.
func base(text string) int {
	if strings.HasPrefix(text, "0x") {
		return 16
	}
	return 10
}
