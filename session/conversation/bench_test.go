package conversation_test

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/timeline"
	"rdmatui/verbs/wire"
)

// recorded is a capture of WRITEs of 64 bytes by 16 queue pairs, each acknowledged.
func recorded(b *testing.B, packets int) []byte {
	b.Helper()
	var file bytes.Buffer
	w := capture.NewWriter(&file)
	alice, bob := netip.MustParseAddrPort("10.0.0.1:50000"), netip.MustParseAddrPort("10.0.0.2:4791")
	seal := func(src, dst netip.AddrPort) wire.ICRC {
		icrc, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
		if err != nil {
			b.Fatal(err)
		}
		return icrc
	}
	asked := netip.AddrPortFrom(alice.Addr(), 4791)
	there, back := seal(alice, bob), seal(bob, asked)
	at, payload := time.Unix(1_700_000_000, 0), make([]byte, 64)
	for i := range packets / 2 {
		qp, psn := uint32(i%16), wire.PSN(i/16)
		write := wire.Packet{
			BTH:  wire.BTH{Opcode: wire.RCWriteOnly, DestQP: 0x200 + qp, PSN: psn, AckReq: true},
			RETH: wire.RETH{DMALen: 64}, Payload: payload,
		}
		ack := wire.Packet{
			BTH:  wire.BTH{Opcode: wire.RCAcknowledge, DestQP: 0x100 + qp, PSN: psn},
			AETH: wire.AETH{Syndrome: wire.ACKUnlimited},
		}
		at = at.Add(time.Microsecond)
		w.Write(&timeline.Packet{At: at, Device: "eth0", Src: alice, Dst: bob,
			Data: there.Append(0, write.Append(nil))})
		at = at.Add(time.Microsecond)
		w.Write(&timeline.Packet{At: at, Device: "eth0", Src: bob, Dst: asked, Data: back.Append(0, ack.Append(nil))})
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return file.Bytes()
}

// BenchmarkSummary reads a capture, checks each ICRC, and joins the packets into
// requests and conversations.
func BenchmarkSummary(b *testing.B) {
	const packets = 1_000_000
	file := recorded(b, packets)
	b.ReportAllocs()
	for b.Loop() {
		r, err := capture.NewReader(bytes.NewReader(file))
		if err != nil {
			b.Fatal(err)
		}
		table := conversation.New()
		var f capture.Frame
		for err = r.Next(&f); err == nil; err = r.Next(&f) {
			table.Add(&f)
		}
		table.End()
		if !errors.Is(err, io.EOF) || len(table.List) != 16 ||
			table.List[0].Sides[0].Kinds[wire.OpWrite].Acknowledged != packets/2/16 {
			b.Fatalf("%v, %d conversations", err, len(table.List))
		}
	}
	b.ReportMetric(float64(packets)*float64(b.N)/b.Elapsed().Seconds(), "packets/s")
}
