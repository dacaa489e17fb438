package tune

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/session/region"
	"rdmatui/verbs"
)

// placed is a region at a fixed address.
type placed struct{ verbs.MR }

func (placed) Addr() uint64 { return 0x10000 }
func (placed) LKey() uint32 { return 7 }
func (placed) RKey() uint32 { return 9 }

// TestRequests: the requests of a cycle walk through the span; what is signalled, solicited or inline, and the pieces
// of a message, are as in the setup. Only the last request of a message ends it.
func TestRequests(t *testing.T) {
	write, send := verbs.WRRDMAWrite, verbs.WRSend
	for _, tt := range []struct {
		name string
		setup
		want string // of each request of end 0: operation, pieces as offset+length, remote offset, flags
	}{
		{"one message", setup{message: []verbs.WROpcode{write}, size: 64}, "RDMA_WRITE 0+64 to 4096 SIGNALED"},
		{"a span", setup{message: []verbs.WROpcode{send}, size: 64, span: 192},
			"SEND 0+64 SIGNALED, SEND 64+64 SIGNALED, SEND 128+64 SIGNALED"},
		{"moderated", setup{message: []verbs.WROpcode{write}, size: 8, signal: 3},
			"RDMA_WRITE 0+8 to 4096 0, RDMA_WRITE 0+8 to 4096 0, RDMA_WRITE 0+8 to 4096 SIGNALED"},
		{"a list", setup{message: []verbs.WROpcode{send}, size: 8, list: 2, solicited: true, inline: true},
			"SEND 0+8 SIGNALED|INLINE, SEND 0+8 SIGNALED|SOLICITED|INLINE"},
		{"two requests", setup{message: []verbs.WROpcode{write, send}, size: 8, solicited: true},
			"RDMA_WRITE 0+8 to 4096 0, SEND 0+1 SIGNALED|SOLICITED"},
		{"pieces", setup{message: []verbs.WROpcode{send}, size: 12, pieces: 3}, "SEND 0+4 4+4 8+4 SIGNALED"},
		{"copied", setup{message: []verbs.WROpcode{send}, size: 12, pieces: 3, copied: true}, "SEND 0+12 SIGNALED"},
	} {
		o := &objects{setup: tt.settled(&host{}), mr: &region.MR{MR: placed{}}, lanes: make([]lane, 2)}
		for index := range o.lanes {
			for end := range 2 {
				o.requests(index, end)
				l := &o.lanes[index]
				own := 0x10000 + uint64(2*index+end)*4096
				var got []string
				for _, wr := range l.send[end] {
					text := wr.Opcode.String()
					for _, s := range wr.SGList {
						text += fmt.Sprintf(" %d+%d", s.Addr-own, s.Length)
						if s.LKey != 7 {
							t.Errorf("%s: lkey %d", tt.name, s.LKey)
						}
					}
					if wr.RKey == 9 {
						text += fmt.Sprintf(" to %d", int64(wr.RemoteAddr-own)*int64(1-2*end))
					}
					if wr.WRID != uint64(index) {
						t.Errorf("%s: wr_id %d", tt.name, wr.WRID)
					}
					got = append(got, text+" "+wr.SendFlags.String())
				}
				if all := strings.Join(got, ", "); all != tt.want {
					t.Errorf("%s, pair %d, end %d: %s, want %s", tt.name, index, end, all, tt.want)
				}
				recv := l.recv[end][0]
				if lists := len(recv.SGList); len(l.recv[end]) != 1 || recv.WRID != uint64(index) ||
					(lists == 1) != strings.Contains(tt.want, "SEND") || lists == 1 &&
					recv.SGList[0] != (verbs.SGE{Addr: own, Length: uint32(tt.size), LKey: 7}) {
					t.Errorf("%s: %+v", tt.name, recv)
				}
			}
		}
	}
}

// TestSpan: messages walk through the same offsets at both ends, and begin again at the end of the span.
func TestSpan(t *testing.T) {
	s := setup{message: []verbs.WROpcode{verbs.WRRDMAWrite}, size: 3000, span: 9000, pairs: 2}
	o := &objects{setup: s.settled(&host{}), mr: &region.MR{MR: placed{}}, lanes: make([]lane, 2)}
	for end := range 2 {
		for n := range 7 {
			wr := o.request(1, end, verbs.WRRDMAWrite, n, 0)
			own, peer := uint64(0x10000+(2+end)*12288), uint64(0x10000+(3-end)*12288) // 9000 bytes, in whole pages
			if at := uint64(n%3) * 3000; wr.SGList[0].Addr != own+at || wr.RemoteAddr != peer+at {
				t.Errorf("end %d, message %d: from %#x to %#x", end, n, wr.SGList[0].Addr, wr.RemoteAddr)
			}
		}
	}
}

// TestSettled: what a setup leaves open has defaults, or the host's values.
func TestSettled(t *testing.T) {
	s := setup{size: 5000, rdAtomic: mostReads, message: []verbs.WROpcode{verbs.WRRDMAWrite}}.settled(&host{reads: 16})
	if s.pairs != 1 || s.depth != 1 || s.list != 1 || s.signal != 1 || s.rdAtomic != 16 || s.span != 5000 ||
		s.area() != 8192 || s.recvs() != 4 || s.step() != 1 || s.cycle() != 1 || s.receives() {
		t.Errorf("%+v", s)
	}
	s = setup{size: 100, span: 1000, pairs: 2, depth: 8, list: 4, signal: 2, rdAtomic: 3,
		message: []verbs.WROpcode{verbs.WRRDMAWrite, verbs.WRRDMAWriteWithImm}}.settled(&host{reads: 16})
	if s.pairs != 2 || s.depth != 8 || s.list != 4 || s.signal != 2 || s.rdAtomic != 3 || s.span != 1000 ||
		s.area() != 4096 || s.recvs() != 24 || s.step() != 4 || s.cycle() != 10 || !s.receives() {
		t.Errorf("%+v", s)
	}
}
