package cm

import (
	"errors"
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// lister is a provider without a connection manager.
type lister struct {
	verbs.Provider
	name    string
	devices []string
	err     error
}

func (l *lister) Name() string { return l.name }
func (l *lister) Devices() (infos []verbs.DeviceInfo, err error) {
	for _, name := range l.devices {
		infos = append(infos, verbs.DeviceInfo{Name: name})
	}
	return infos, l.err
}

// managing is a provider with a connection manager.
type managing struct {
	lister
	verbs.CMProvider
}

// TestManagerOn: without a device's name the first provider with a device and a connection manager is used, otherwise
// the provider of that device.
func TestManagerOn(t *testing.T) {
	plain := &lister{name: "plain", devices: []string{"p0"}}
	empty := &managing{lister: lister{name: "empty"}}
	failing := &managing{lister: lister{name: "failing", err: errors.New("no list")}}
	first := &managing{lister: lister{name: "first", devices: []string{"a0"}}}
	second := &managing{lister: lister{name: "second", devices: []string{"b0", "b1"}}}
	const none, unknown = "no provider with a device has a connection manager", `no device "c0"; there is only a0`
	for _, tt := range []struct {
		name      string
		providers []verbs.Provider
		device    string
		want      string // the provider, or the error
	}{
		{"no provider", nil, "", none},
		{"no manager", []verbs.Provider{plain}, "", none},
		{"no device", []verbs.Provider{empty}, "", none},
		{"no list of devices", []verbs.Provider{failing}, "", none},
		{"one", []verbs.Provider{first}, "", "first"},
		{"the first of two", []verbs.Provider{first, second}, "", "first"},
		{"after those that are of no use", []verbs.Provider{plain, empty, failing, second}, "", "second"},
		{"by name", []verbs.Provider{first, second}, "b1", "second"},
		{"by name, no manager", []verbs.Provider{plain, first}, "p0", "plain has no connection manager"},
		{"by an unknown name", []verbs.Provider{first}, "c0", unknown},
	} {
		s := core.New(core.Options{Providers: tt.providers}, core.Wiring{
			Record: func(*core.Session) core.Recorder { return nil },
			Close:  func(*core.Session) error { return nil },
		})
		p, manager, err := managerOn(s, tt.device)
		got := ""
		if err != nil {
			got = err.Error()
		} else if got = p.Name(); verbs.Provider(manager.(*managing)) != p {
			t.Errorf("%s: the manager of another provider", tt.name)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
