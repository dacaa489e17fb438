package scenarios

import (
	"testing"

	"rdmatui/session/scenario"
	"rdmatui/verbs"
)

// TestBothEnds: where this program's own device runs a scenario, both ends are here: one is the server, the other has
// the server's address, and each has a device of its own unless the connection manager chooses it.
func TestBothEnds(t *testing.T) {
	soft := func(name, address string) hostDevice {
		return hostDevice{name: name, provider: verbs.SoftProvider, address: address, active: true}
	}
	softs := host{devices: []hostDevice{soft("soft0", "127.0.0.2"), soft("soft1", "127.0.0.3")}}
	lone := host{devices: softs.devices[:1]}
	routed := host{devices: []hostDevice{soft("soft0", "10.9.0.1")}}
	mlx5 := hostDevice{name: "mlx5_0", provider: verbs.HostProvider, address: "10.9.0.7", active: true}
	nic := host{devices: []hostDevice{mlx5}}
	type end struct {
		name, device, address, bind string
		server                      bool
	}
	endOf := func(p scenario.Params) end { return end{p.Name, p.Device, p.Address, p.Bind, p.Server} }
	for _, tt := range []struct {
		name     string
		scenario string
		host     host
		change   func(*choice)
		own      end
		other    *end
	}{
		{"by hand, client", "rc-pingpong", softs, nil, end{"rc-pingpong", "soft0", "127.0.0.1", "", false},
			&end{"rc-pingpong", "soft1", "", "", true}},
		{"by hand, server", "rc-pingpong", softs, func(c *choice) { c.p.Server = true },
			end{"rc-pingpong", "soft0", "", "", true}, &end{"rc-pingpong", "soft1", "127.0.0.1", "", false}},
		{"by hand, server of an address", "rc-pingpong", softs,
			func(c *choice) { c.p.Server, c.p.Bind = true, "10.0.0.9" },
			end{"rc-pingpong", "soft0", "", "10.0.0.9", true}, &end{"rc-pingpong", "soft1", "10.0.0.9", "", false}},
		{"by hand, server of any address", "rc-pingpong", softs,
			func(c *choice) { c.p.Server, c.p.Bind = true, "any" },
			end{"rc-pingpong", "soft0", "", "any", true}, &end{"rc-pingpong", "soft1", "127.0.0.1", "", false}},
		{"by hand, client with an address", "rc-pingpong", softs, func(c *choice) { c.p.Bind = "10.0.0.9" },
			end{"rc-pingpong", "soft0", "127.0.0.1", "10.0.0.9", false}, &end{"rc-pingpong", "soft1", "", "", true}},
		{"by hand, one device", "rc-pingpong", lone, nil, end{"rc-pingpong", "soft0", "127.0.0.1", "", false},
			&end{"rc-pingpong", "soft0", "", "", true}},
		{"by the manager", "hello", softs, nil, end{"hello", "", "127.0.0.2", "", false},
			&end{"hello", "", "", "", true}},
		{"by the manager, server", "hello", softs, func(c *choice) { c.p.Server = true },
			end{"hello", "", "", "", true}, &end{"hello", "", "127.0.0.2", "", false}},
		{"a server of many", "serve", softs, nil, end{"serve", "", "", "", true},
			&end{"hello", "", "127.0.0.2", "", false}},
		{"a group on loopback", "mckey", softs, nil, end{"mckey", "", "239.1.2.3", "127.0.0.2", false},
			&end{"mckey", "", "239.1.2.3", "127.0.0.2", true}},
		{"a group on a network", "mckey", routed, nil, end{"mckey", "", "239.1.2.3", "", false},
			&end{"mckey", "", "239.1.2.3", "", true}},
		{"a NIC", "rc-pingpong", nic, nil, end{"rc-pingpong", "", "", "", true}, nil},
		{"a NIC, client", "rc-pingpong", nic, func(c *choice) { c.p.Server, c.p.Address = false, "10.9.0.8" },
			end{"rc-pingpong", "", "10.9.0.8", "", false}, nil},
	} {
		c := newChoice(scenario.Named(tt.scenario), &tt.host)
		if tt.change != nil {
			tt.change(c)
		}
		if got := endOf(c.ready(&tt.host)); got != tt.own {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.own)
		}
		other := c.theirs(&tt.host)
		if (other == nil) != (tt.other == nil) {
			t.Errorf("%s: the other end is here: %t", tt.name, other != nil)
		} else if other != nil && endOf(*other) != *tt.other {
			t.Errorf("%s: the other end has %+v, want %+v", tt.name, endOf(*other), *tt.other)
		}
	}
}

// TestHostDevices: a scenario uses the named device, else the first that is ACTIVE, else the first; the other end uses
// another one of the same provider.
func TestHostDevices(t *testing.T) {
	down := hostDevice{name: "mlx5_0", provider: "a"}
	up := hostDevice{name: "mlx5_1", provider: "a", active: true}
	soft := hostDevice{name: "soft0", provider: "b", active: true}
	for _, tt := range []struct {
		devices            []hostDevice
		name, want, others string
	}{
		{nil, "", "", ""}, {nil, "mlx5_0", "", ""}, {[]hostDevice{down}, "", "mlx5_0", "mlx5_0"},
		{[]hostDevice{down, soft, up}, "", "soft0", "soft0"}, {[]hostDevice{down, up, soft}, "", "mlx5_1", "mlx5_0"},
		{[]hostDevice{down, up, soft}, "mlx5_0", "mlx5_0", "mlx5_1"},
		{[]hostDevice{down, up, soft}, "soft0", "soft0", "soft0"},
		{[]hostDevice{down, up}, "gone", "mlx5_0", "mlx5_1"},
	} {
		h := host{devices: tt.devices}
		d := h.device(tt.name)
		if d.name != tt.want || h.otherThan(d) != tt.others {
			t.Errorf("%q of %+v: %s and %s, want %s and %s", tt.name, tt.devices, d.name, h.otherThan(d), tt.want,
				tt.others)
		}
	}
}
