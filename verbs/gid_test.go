package verbs

import "testing"

func TestGIDText(t *testing.T) {
	g, err := ParseGID("10.9.0.1")
	if err != nil || g.String() != "::ffff:10.9.0.1" || !g.IsIPv4() || g.IsLinkLocal() ||
		g.InterfaceID() != 0xffff0a090001 {
		t.Error(g, g.IsIPv4(), g.IsLinkLocal(), g.InterfaceID())
	}
	var back GID
	if err := back.UnmarshalText([]byte(g.String())); err != nil || back != g {
		t.Error(back, err)
	}
	if s := (GUID{0x84, 0x8f, 4, 0xff, 0xfe, 0xa3, 8, 0x9e}).String(); s != "848f:04ff:fea3:089e" {
		t.Error(s)
	}
}
