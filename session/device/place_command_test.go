package device_test

import (
	"errors"
	"net/netip"
	"slices"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/lab"
	"rdmatui/session/oob"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// twoCards is two devices with one port each: fake0 at 10.9.0.1 and fake1 at 10.8.0.1.
func twoCards(t *testing.T, first, second verbs.PortState) *session.Session {
	source := func(dst netip.Addr) (netip.Addr, error) {
		if dst.Is4() && dst.As4()[1] == 8 {
			return netip.MustParseAddr("10.8.0.1"), nil
		}
		return netip.Addr{}, errors.New("network is unreachable")
	}
	var providers []verbs.Provider
	for i, state := range []verbs.PortState{first, second} {
		f := sessiontest.NewFake()
		f.Called = []string{"fake0", "fake1"}[i]
		f.Ports = []verbs.PortAttr{onEthernet(state)}
		f.Gids = []verbs.GIDEntry{{PortNum: 1, Index: 1, Type: verbs.GIDTypeRoCEv2,
			GID: verbs.GIDFromAddr(netip.AddrFrom4([4]byte{10, byte(9 - i), 0, 1}))}}
		providers = append(providers, f)
		t.Cleanup(func() {
			if n := f.Alive.Load(); n != 0 {
				t.Errorf("%d objects of %s left", n, f.Called)
			}
		})
	}
	s := session.New(core.Options{Providers: providers, Network: &route.Network{Source: source}})
	t.Cleanup(func() { s.Close() })
	return s
}

// TestPlace: if no device is named, a scenario chooses the one on the route to its peer, or with the server's own
// address; without an address, like an experiment, the first with an ACTIVE port. A note gives the reason.
func TestPlace(t *testing.T) {
	const up = verbs.PortActive
	for _, tt := range []struct {
		name                  string
		first, second         verbs.PortState
		device, address, bind string
		want, why             string
	}{
		{name: "the peer is on the second one's network", first: up, second: up, address: "10.8.0.2", want: "fake1",
			why: "the route to 10.8.0.2 leaves from 10.8.0.1"},
		{name: "the own address is on the second", first: up, second: up, bind: "10.8.0.1", want: "fake1",
			why: "the route to 10.8.0.1 leaves from 10.8.0.1"},
		{name: "the peer is elsewhere", first: up, second: up, address: "10.5.0.2", want: "fake0",
			why: "the first of 2 devices, with an ACTIVE port"},
		{name: "any address", first: up, second: up, bind: oob.AnyAddress, want: "fake0",
			why: "the first of 2 devices, with an ACTIVE port"},
		{name: "only the second is up", first: portDown, second: up, want: "fake1",
			why: "the first device with an ACTIVE port; fake0 has none"},
		{name: "none is up", first: portDown, second: portDown, want: "fake0",
			why: "none of 2 devices has an ACTIVE port"},
		{name: "named", first: portDown, second: up, device: "fake0", address: "10.8.0.2", want: "fake0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := twoCards(t, tt.first, tt.second)
			p := scenario.DefaultParams("rc-pingpong")
			p.Device, p.Address, p.Bind, p.Server = tt.device, tt.address, tt.bind, tt.address == ""
			r, err := s.NewScenarioRun(p)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Params().Device; got != tt.want {
				t.Errorf("a scenario uses %s, want %s", got, tt.want)
			}
			var want []string
			if tt.why != "" {
				want = []string{"device " + tt.want + ": " + tt.why}
			}
			if got := notes(s); !slices.Equal(got, want) {
				t.Errorf("noted %q, want %q", got, want)
			}
			if tt.address != "" || tt.bind != "" {
				return
			}
			var told []string
			l, err := s.NewLabRun("flush", lab.On(tt.device), func(e timeline.Event) {
				if e.Kind == timeline.KindNote {
					told = append(told, e.Note.Text)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Destroy(t.Context()); err != nil {
				t.Error(err)
			}
			if l.Device() != tt.want || !slices.Equal(told, want) {
				t.Errorf("an experiment uses %s, noted %q; want %s, %q", l.Device(), told, tt.want, want)
			}
		})
	}
}

// TestNamedDevice: providers after that of the named device are not asked for theirs.
func TestNamedDevice(t *testing.T) {
	other := &slowProvider{Provider: sessiontest.NewFake()}
	s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.NewFake(), other}})
	defer s.Close()
	suits := func(*verbs.DeviceInfo) error { return nil }
	got, err := device.Choose(s.Core(), "fake0", suits, "")
	if err != nil || got.Name != "fake0" || other.asked.Load() > 0 {
		t.Errorf("%+v, %v, the other asked %d times", got, err, other.asked.Load())
	}
}

// notes returns the notes on the time line.
func notes(s *session.Session) (texts []string) {
	for _, e := range s.Core().Log.Snapshot() {
		if e.Kind == timeline.KindNote {
			texts = append(texts, e.Note.Text)
		}
	}
	return texts
}
