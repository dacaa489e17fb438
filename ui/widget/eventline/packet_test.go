package eventline

import (
	"net/netip"
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
)

func TestPacketLine(t *testing.T) {
	h := wire.Packet{
		BTH:  wire.BTH{Opcode: wire.RCAcknowledge, DestQP: 0x12, PSN: 7},
		AETH: wire.AETH{Syndrome: wire.RNRNAK(12), MSN: 3},
	}
	p := timeline.Packet{
		Device: "soft0", Src: netip.MustParseAddrPort("127.0.0.2:4791"), Data: append(h.Append(nil), 0, 0, 0, 0),
	}
	short := timeline.Packet{Device: "so\x1bft", Outgoing: true, Dst: p.Src, Data: []byte{1}}
	for _, tt := range []struct {
		p    *timeline.Packet
		want string
		bad  bool
	}{
		{&p, "soft0 < 127.0.0.2  RC_ACKNOWLEDGE qp 0x000012 psn 0x000007 RNR NAK 0.64 ms msn 3", false},
		{&short, `so\x1bft > 127.0.0.2  wire: truncated: BTH needs 12 bytes`, true},
		{nil, "", false},
	} {
		if tt.p != nil {
			tt.p.Decode()
		}
		e := timeline.Event{Kind: timeline.KindPacket, Packet: tt.p}
		b := line.New(theme.New("none", false))
		Text(b, &e)
		b.Finish()
		if got := uitest.Text(b.String()); got != tt.want || Bad(&e) != tt.bad {
			t.Errorf("%q, bad %v; want %q, %v", got, Bad(&e), tt.want, tt.bad)
		}
	}
}
