package verbs

import "testing"

func entry(port uint8, index int, gid string, typ GIDType) GIDEntry {
	g, err := ParseGID(gid)
	if err != nil {
		panic(err)
	}
	return GIDEntry{PortNum: port, Index: index, GID: g, Type: typ}
}

func TestChooseGID(t *testing.T) {
	table := []GIDEntry{
		entry(1, 0, "fe80::1", GIDTypeRoCEv1),
		entry(1, 1, "fe80::1", GIDTypeRoCEv2),
		entry(1, 2, "10.9.0.1", GIDTypeRoCEv1),
		entry(1, 3, "10.9.0.1", GIDTypeRoCEv2),
		entry(1, 4, "fd00::1", GIDTypeRoCEv2),
		entry(2, 0, "fe80::2", GIDTypeRoCEv2),
		entry(3, 0, "fe80::3", GIDTypeRoCEv1),
		entry(4, 0, "fe80::4", GIDTypeIB),
	}
	gid := func(s string) GID { return entry(1, 0, s, 0).GID }
	tests := []struct {
		name string
		port uint8
		peer GID
		want int // -1: none
	}{
		{"IPv4 first", 1, GID{}, 3},
		{"peer is IPv4", 1, gid("10.9.0.2"), 3},
		{"peer is global IPv6", 1, gid("fd00::2"), 4},
		{"peer is link-local", 1, gid("fe80::2"), 1},
		{"link-local is better than nothing", 2, GID{}, 0},
		{"RoCE v1 is never chosen", 3, GID{}, -1},
		{"InfiniBand", 4, GID{}, 0},
		{"no such port", 9, GID{}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := ChooseGID(table, tt.port, tt.peer)
			if tt.want < 0 {
				if err == nil {
					t.Fatalf("chose %v", e)
				}
				return
			}
			if err != nil || e.Index != tt.want {
				t.Fatalf("chose %v, %v; want index %d", e, err, tt.want)
			}
		})
	}
}

func TestGIDText(t *testing.T) {
	g := entry(1, 0, "10.9.0.1", 0).GID
	if g.String() != "::ffff:10.9.0.1" || !g.IsIPv4() || g.IsLinkLocal() || g.InterfaceID() != 0xffff0a090001 {
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
