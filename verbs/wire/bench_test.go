package wire

import (
	"fmt"
	"testing"
)

var benchSizes = []int{64, 1024, 4096}

// hotPath returns the steps of a sender and a receiver for each packet, without copying the payload.
func hotPath(t testing.TB, path Path, size int) (send, receive func()) {
	c := icrcOf(t, path)
	p := samplePacket(RCWriteOnly, size)
	buf := make([]byte, 0, MaxLen)
	sealed := c.Append(7, p.Append(nil))
	var got Packet
	send = func() { buf = c.Append(7, p.Append(buf[:0])) }
	receive = func() {
		if !c.Verify(7, sealed) || got.Decode(sealed) != nil || len(got.Payload) != size {
			t.Fatal("refused")
		}
	}
	return send, receive
}

// TestHotPathAllocs checks the promise of the package comment. It includes errors: a flood of bad packets is a hot path
// as well.
func TestHotPathAllocs(t *testing.T) {
	line := make([]byte, 0, 512)
	for name, path := range map[string]Path{"IPv4": path4, "IPv6": path6} {
		send, receive := hotPath(t, path, 1024)
		c := icrcOf(t, path)
		full := samplePacket(RCWriteOnlyImm, 64)
		full.Headers = HasRETH | HasImmDt
		sealed := c.Append(7, full.Append(nil))
		var p Packet
		for what, f := range map[string]func(){
			"send": send, "receive": receive,
			"summary":   func() { line = full.AppendSummary(line[:0]) },
			"recover":   func() { c.RecoverID(0, sealed) },
			"truncated": func() { _ = p.Decode(sealed[:20]) },
		} {
			if n := testing.AllocsPerRun(100, f); n != 0 {
				t.Errorf("%s, %s: %v allocations", name, what, n)
			}
		}
	}
}

// BenchmarkSend builds a WRITE and its ICRC.
func BenchmarkSend(b *testing.B) { benchmarkHotPath(b, true) }

// BenchmarkReceive verifies the ICRC of a WRITE and parses it.
func BenchmarkReceive(b *testing.B) { benchmarkHotPath(b, false) }

func benchmarkHotPath(b *testing.B, sending bool) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			send, f := hotPath(b, path4, size)
			if sending {
				f = send
			}
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				f()
			}
		})
	}
}

// BenchmarkRecoverID verifies without the identification.
func BenchmarkRecoverID(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			c := icrcOf(b, path4)
			p := samplePacket(RCWriteOnly, size)
			sealed := c.Append(7, p.Append(nil))
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, ok := c.RecoverID(0, sealed); !ok {
					b.Fatal("refused")
				}
			}
		})
	}
}

// BenchmarkSummary formats the summary line of a packet.
func BenchmarkSummary(b *testing.B) {
	p := samplePacket(RCWriteOnly, 64)
	p.Headers = HasRETH
	line := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		line = p.AppendSummary(line[:0])
	}
}
