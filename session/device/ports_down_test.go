package device_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestPortDownIsNoted: requests through a port that is down are warned of once, until the port has been up again.
func TestPortDownIsNoted(t *testing.T) {
	s, f := sessiontest.Card(t, onEthernet(verbs.PortActive))
	sessiontest.RunScript(t, s, "open_device\n"+onePair+"connect_qps a b\nreg_mr m length=64")
	const line = "post_send a SEND sge=m:0:4"
	said := func() (n int) {
		for _, text := range notes(s) {
			if strings.HasPrefix(text, "port 1 of fake0 is DOWN: ") {
				n++
			}
		}
		return n
	}
	becomes := func(state verbs.PortState) {
		f.Ports[0].State = state
		sessiontest.Execute(t, s, "query_port")
	}
	for _, step := range []struct {
		state verbs.PortState
		want  int
	}{{verbs.PortActive, 0}, {portDown, 1}, {portDown, 1}, {verbs.PortActive, 1}, {portDown, 2}} {
		becomes(step.state)
		sessiontest.Execute(t, s, line)
		if n := said(); n != step.want {
			t.Errorf("%s: noted %d times, want %d: %q", step.state, n, step.want, notes(s))
		}
	}
}

// TestUnreadablePort: a device can be opened even if some or all of its ports cannot be queried; a note says
// which, and why.
func TestUnreadablePort(t *testing.T) {
	active := onEthernet(verbs.PortActive)
	const why = "ibv_query_port: input/output error (EIO)"
	for _, tt := range []struct {
		name, open    string
		ports         []verbs.PortAttr
		broken        []string
		result, check string
	}{
		{"the first", "open_device", []verbs.PortAttr{active, active}, []string{"port 1"},
			"fake device, port 2 ACTIVE, ETHERNET, active_mtu 1024; default port: the first ACTIVE port; port 1 is unreadable", "port 1 is unreadable: " + why},
		{"the second", "open_device", []verbs.PortAttr{active, active}, []string{"port 2"},
			"fake device, port 1 ACTIVE, ETHERNET, active_mtu 1024; default port: the first ACTIVE port of 2",
			"port 2 is unreadable: " + why},
		{"the one that is named", "open_device port_num=2", []verbs.PortAttr{active, active}, []string{"port 2"},
			"fake device, port 2 unreadable; default port: named at open_device", "port 2 is unreadable: " + why},
		{"the only one", "open_device", []verbs.PortAttr{active}, []string{"port 1"}, "fake device, port 1 unreadable",
			"port 1 is unreadable: " + why},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, f := sessiontest.Card(t, tt.ports...)
			for _, port := range tt.broken {
				f.Fail[port] = verbs.NewOpError("ibv_query_port", "", syscall.EIO)
			}
			done := sessiontest.Execute(t, s, tt.open)
			if done.Err != "" || done.Result != tt.result || done.Check != tt.check {
				t.Errorf("%q, %q, %q; want %q, %q", done.Err, done.Result, done.Check, tt.result, tt.check)
			}
			for i, p := range s.Snapshot().Devices[0].Ports {
				if want := slices.Contains(tt.broken,
					fmt.Sprint("port ", i+1)); (p.State == verbs.PortUnreadable) != want || int(p.PortNum) != i+1 {
					t.Errorf("port %d: %+v", i+1, p)
				}
			}
			sessiontest.RunScript(t, s, onePair+"connect_qps a b") // with the usual values
			clear(f.Fail)
			for i := range tt.ports { // readable when queried again
				sessiontest.Execute(t, s, fmt.Sprint("query_port port_num=", i+1))
			}
			for _, p := range s.Snapshot().Devices[0].Ports {
				if p.State != verbs.PortActive {
					t.Errorf("afterwards: %+v", p)
				}
			}
		})
	}
}
