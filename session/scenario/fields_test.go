package scenario

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/oob"
	"rdmatui/verbs"
)

// TestScenarioFields checks the values that scenario templates derive from the parameters.
func TestScenarioFields(t *testing.T) {
	with := func(name string, change func(p *Params)) Params {
		p := DefaultParams(name)
		change(&p)
		return p
	}
	type fields struct {
		listen, bind, src, side, access, verb, mode string
		sync, stays                                 bool
		window, room, pingRoom                      int
		wait, patience                              time.Duration
	}
	for name, tt := range map[string]struct {
		p    Params
		want fields
	}{
		"a client": {with("chat", func(p *Params) { p.Address = "10.0.0.1" }),
			fields{side: "active", access: "WRITE", verb: "WRITE to", mode: "event", window: 16, room: 4096,
				wait: defaultWait, patience: defaultWait}},
		"a server": {with("ping", func(p *Params) { p.Server, p.RXDepth, p.Op, p.CM = true, 15, "read", "sync" }),
			fields{side: "passive", access: "READ", verb: "READ", mode: "sync", sync: true, window: 15, room: 4096,
				pingRoom: pingRoom, wait: defaultWait, patience: defaultWait}},
		"an address": {with("chat", func(p *Params) { p.Bind, p.Size, p.RXDepth = "10.0.0.1", 4097, 17 }),
			fields{listen: " listen=10.0.0.1", bind: " 10.0.0.1", src: " src=10.0.0.1", side: "active", access: "WRITE",
				verb: "WRITE to", mode: "event",
				window: 16, room: 4097, pingRoom: 4097, wait: defaultWait, patience: defaultWait}},
		"any address": {with("chat", func(p *Params) { p.Bind, p.CM, p.Size = oob.AnyAddress, "poll", 4095 }),
			fields{listen: " listen=any", side: "active", access: "WRITE", verb: "WRITE to", mode: "poll", window: 16,
				room: 4096, pingRoom: 4095, wait: defaultWait, patience: defaultWait}},
		"a persistent server": {with("ping", func(p *Params) {
			p.Server, p.Persistent, p.Idle, p.Size = true, true, time.Hour, pingRoom+1
		}),
			fields{side: "passive", access: "WRITE", verb: "WRITE to", mode: "event", stays: true, window: 16,
				room: pingRoom + 1, pingRoom: pingRoom + 1, wait: stays, patience: time.Hour}},
		"a persistent server with a limit": {with("ping", func(p *Params) {
			p.Server, p.Persistent, p.Idle, p.Wait = true, true, time.Hour, time.Second
		}),
			fields{side: "passive", access: "WRITE", verb: "WRITE to", mode: "event", stays: true, window: 16,
				room: 4096, pingRoom: pingRoom, wait: time.Second, patience: time.Hour}},
		"a client is never persistent": {with("ping", func(p *Params) { p.Persistent, p.Wait = true, time.Second }),
			fields{side: "active", access: "WRITE", verb: "WRITE to", mode: "event", window: 16, room: 4096,
				wait: time.Second, patience: time.Second}},
	} {
		p := tt.p
		if tt.want.pingRoom == 0 {
			tt.want.pingRoom = p.Size
		}
		got := fields{p.ListenArg(), p.BindAddr(), p.SrcArg(), p.Side(), p.OpAccess(), p.OpVerb(), p.CMMode(), p.Sync(),
			p.Stays(), p.Window(), p.MessageRoom(), p.PingRoom(),
			p.WaitForRequest(), p.Patience()}
		if got != tt.want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, tt.want)
		}
	}
	for size, want := range map[int]string{1: `"\0"`, 14: `"rdma-ping-0: \0"`, 16: `"rdma-ping-0: AB\0"`} {
		if got := (Params{Size: size}).PingText(); got != want {
			t.Errorf("%d bytes: %s, want %s", size, got, want)
		}
	}
	if text := (Params{Size: 200}).PingText(); strings.Count(text, "xyzABC") != 3 || strings.Contains(text, "{") {
		t.Error(text)
	}
}

// TestScenarioOptionsOfEnds: an end has only options that change its script, and an unknown scenario has none.
func TestScenarioOptionsOfEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		p         Params
		has, lack []string
	}{
		"no scenario": {Params{Name: "nonsense", Server: true}, nil, []string{"iters", "size"}},
		"RC pingpong": {Params{Name: "rc-pingpong", Server: true, Count: 1, Size: 1, RXDepth: 1, MTU: verbs.MTU256,
			GIDIndex: -1}, []string{"iters", "size", "mtu", "port", "bind"}, []string{"op", "ps"}},
		"read-write":      {managedAs("read-write"), []string{"op", "bind"}, []string{"mtu", "ps"}},
		"cmatose, client": {managedAs("cmatose"), []string{"ps", "connections"}, []string{"op", "mtu"}},
	} {
		var names []string
		for _, o := range tt.p.Options() {
			names = append(names, o.Name)
		}
		for _, want := range tt.has {
			if !slices.Contains(names, want) {
				t.Errorf("%s: %v lack %s", name, names, want)
			}
		}
		for _, not := range tt.lack {
			if slices.Contains(names, not) {
				t.Errorf("%s: %v have %s", name, names, not)
			}
		}
	}
}

func managedAs(name string) Params {
	p := DefaultParams(name)
	p.Address = "10.0.0.1"
	return p
}
