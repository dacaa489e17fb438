package wire

import (
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/verbs/wire"
)

// A message of the connection manager is told in words, with its private data.
func TestManagementDatagram(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		rtu := wire.CMRtu{LocalCommID: 0x11, RemoteCommID: 0x22}
		copy(rtu.PrivateData[:], "ready\x1b[2J")
		sent := wire.NewCM(7, &rtu)
		h := wire.Packet{
			BTH: wire.BTH{Opcode: wire.UDSendOnly, DestQP: 1}, DETH: wire.DETH{SrcQP: 1}, Payload: sent.Append(nil),
		}
		x.seen("soft0", true, addrA, addrB, append(h.Append(nil), 0, 0, 0, 0))
		x.refresh()
		x.keys("home")
		view := x.view(200, 50)
		for _, want := range []string{"│ CM RTU 0x", "CM RTU local_id 0x00000011", "0x72656164791b5b324a"} {
			if !strings.Contains(view, want) {
				t.Errorf("no %q\n%s", want, view)
			}
		}
	})
}

// TestRefusedIsError: of the connection manager's datagrams only a REJ refuses something.
func TestRefusedIsError(t *testing.T) {
	th := theme.New("none", true)
	for attr, want := range map[wire.CMAttribute]theme.Style{
		wire.CMAttrREQ: th.Value, wire.CMAttrREP: th.Value, wire.CMAttrREJ: th.Err, wire.CMAttrDREQ: th.Value,
	} {
		var r row
		r.Wire.BTH.DestQP, r.Wire.Headers = 1, wire.HasDETH
		h := wire.MADHeader{BaseVersion: wire.MADBaseVersion, MgmtClass: wire.MADClassCM,
			ClassVersion: wire.MADClassVersionCM, Method: wire.MADMethodSend, Attribute: attr}
		r.Wire.Payload = append(h.Append(nil), make([]byte, wire.MADLen-wire.MADHeaderLen)...)
		r.Data = make([]byte, wire.BTHLen+wire.DETHLen+wire.MADLen)
		if got := opcodeStyle(th, &r); got != want {
			t.Errorf("%s: %v, want %v", attr, got, want)
		}
	}
}
