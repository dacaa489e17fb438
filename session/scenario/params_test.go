package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/oob"
	"rdmatui/verbs"
)

// TestOptionValues: each option takes its values up to the limits, shows them as they are typed, and refuses others.
func TestOptionValues(t *testing.T) {
	for name, tt := range map[string]struct {
		taken   string // separated by blanks; "-" is nothing, "a>b" is shown as b
		refused string
	}{
		"iters":       {"1 2147483647", "0 -1 2147483648 x -"},
		"size":        {"1 64", "0 x"},
		"mtu":         {"256 4096", "0 257 x -"},
		"port":        {"1 65535", "0 65536 x -"},
		"bind":        {"- any 10.0.0.1", ""},
		"num-qp":      {"1 16", "0"},
		"op":          {"write read", ""},
		"connections": {"1 64", "0"},
		"ps":          {"TCP ib>IB", ""},
		"message":     {"- a a|b", ""},
		"numbers":     {"be32 be64", ""},
		"cm":          {"event sync", ""},
		"persistent":  {"0 1", ""},
		"events":      {"0 1", ""},
		"nonblock":    {"0 1", ""},
		"chk":         {"0 1", ""},
		"rx-depth":    {"1 500", "0"},
		"gid-index":   {"- 0 1 255", "-1 256 x"},
		"ib-port":     {"- 1 255", "0 256 x"},
		"wait":        {"1s 90s>1m30s 1m 10m 60m>1h 1h20m 2h 100h0m5s 1h0m0.5s 1ns", "0 0s -1s 5 x -"},
		"idle":        {"10s 20m", "0s"},
	} {
		o := OptionNamed(name)
		if o == nil {
			t.Errorf("no option %s", name)
			continue
		}
		typed := func(text string) string { return strings.ReplaceAll(text, "-", "") }
		for _, text := range strings.Fields(tt.taken) {
			text, shown, _ := strings.Cut(text, ">")
			if text = typed(text); shown == "" {
				shown = text
			}
			p := DefaultParams("rc-pingpong")
			if err := o.Set(&p, " "+text+" "); err != nil || o.Get(&p) != shown {
				t.Errorf("%s %q: shown as %q, %v; want %q", name, text, o.Get(&p), err, shown)
			}
		}
		for _, text := range strings.Fields(tt.refused) {
			if text == "-" {
				text = ""
			}
			p := DefaultParams("rc-pingpong")
			if err := o.Set(&p, text); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
				t.Errorf("%s takes %q: %v", name, text, err)
			}
		}
	}
	if OptionNamed("nonsense") != nil {
		t.Error("an option that does not exist is found")
	}
}

// TestOptionsVary: each option has a value that differs from the default, and is none of the other options.
func TestOptionsVary(t *testing.T) {
	for i := range Options {
		p, q := DefaultParams("rc-pingpong"), DefaultParams("rc-pingpong")
		Options[i].vary(&q)
		for j := range Options {
			if differs := Options[j].Get(&p) != Options[j].Get(&q); differs != (i == j) {
				t.Errorf("%s varied: %s differs %v", Options[i].Name, Options[j].Name, differs)
			}
		}
	}
}

// TestTemplateValues checks further values that scenario templates derive from the parameters.
func TestTemplateValues(t *testing.T) {
	p := Params{
		Name: "chat", Server: true, Device: "soft0", DevicePort: 2, GIDIndex: 0, Size: 16, RXDepth: 5, QPs: 3,
		Connections: 2, Events: true, Messages: []string{"hi", chatEnd},
	}
	zero := Params{GIDIndex: -1, Device: "d", Validate: true, Size: 12}
	for what, tt := range map[string][2]any{
		"role":               {p.Role(), "server"},
		"role of a client":   {zero.Role(), "client"},
		"room":               {p.Room(), verbs.GRHLen + 16},
		"completions":        {p.Completions(), 6},
		"device":             {p.DeviceArg(), " device=soft0"},
		"no device":          {(Params{}).DeviceArg(), ""},
		"port":               {p.PortNum(), "2"},
		"usual port":         {zero.PortNum(), "d.port_num"},
		"first GID":          {p.SGIDIndex(), " sgid_index=0"},
		"second GID":         {(Params{GIDIndex: 1}).SGIDIndex(), " sgid_index=1"},
		"no GID":             {zero.SGIDIndex(), ""},
		"events":             {p.EventDigit() + zero.EventDigit(), "10"},
		"validate":           {p.ValidateDigit() + zero.ValidateDigit(), "01"},
		"queue pairs":        {fmt.Sprint(p.QueuePairs()), "[1 2 3]"},
		"connections":        {fmt.Sprint(p.Each()), "[1 2]"},
		"shared completions": {p.SharedCompletions(), 8},
		"slots":              {p.SlotsRoom(), 96},
		"credits":            {p.Credits(), 64},
		"words": {fmt.Sprint(p.Words()),
			`[{"hi\0\0\0\0\0\0\0\0\0\0\0\0\0\0" false} {"disconnect\0\0\0\0\0\0" true}]`},
		"answer":                  {p.ChatAnswer(), `"server get \0\0\0\0\0"`},
		"echo":                    {p.ChatEcho(), 11},
		"end, cut":                {p.ChatEnd(), `"disco"`},
		"end, whole":              {(Params{Size: 22}).ChatEnd(), `"disconnect\0"`},
		"end, with room":          {(Params{Size: 99}).ChatEnd(), `"disconnect\0"`},
		"end, one byte":           {zero.ChatEnd(), `"d"`},
		"own address, bound":      {(&Params{Bind: "10.0.0.1", Here: "10.0.0.2"}).OwnAddress(), "10.0.0.1"},
		"own address, any":        {(&Params{Bind: oob.AnyAddress, Here: "10.0.0.2"}).OwnAddress(), "10.0.0.2"},
		"own address, known":      {(&Params{Here: "10.0.0.2"}).OwnAddress(), "10.0.0.2"},
		"own address, unknown":    {(&Params{Bind: oob.AnyAddress}).OwnAddress(), "THIS-HOST"},
		"reached, by address":     {(&Params{Address: "10.0.0.3", Bind: "10.0.0.1"}).reached(), "10.0.0.3"},
		"reached, bound":          {(&Params{Bind: "10.0.0.1"}).reached(), "10.0.0.1"},
		"reached, any":            {(&Params{Bind: oob.AnyAddress}).reached(), ""},
		"reached, any to address": {(&Params{Bind: oob.AnyAddress, Address: "10.0.0.3"}).reached(), "10.0.0.3"},
	} {
		if tt[0] != tt[1] {
			t.Errorf("%s: %v, want %v", what, tt[0], tt[1])
		}
	}
}

// TestDefaults: a scenario's own defaults, and those that all share.
func TestDefaults(t *testing.T) {
	for name, idle := range map[string]time.Duration{"ping": time.Minute, "chat": 10 * time.Minute} {
		p := DefaultParams(name)
		sc := Named(name)
		if p.Idle != idle || p.Count != sc.Count || p.Size != sc.Size || p.Port != sc.Port || p.GIDIndex != -1 ||
			p.Wait != time.Hour || p.QPs != 16 || p.Connections != 1 {
			t.Errorf("%+v", p)
		}
	}
	if p := DefaultParams("nonsense"); p.Name != "nonsense" || p.Size != All[0].Size {
		t.Errorf("%+v", p)
	}
}

// TestLimits: each parameter is taken up to its limit, and refused beyond.
func TestLimits(t *testing.T) {
	server := func(name string) Params {
		p := DefaultParams(name)
		if p.Server = true; Named(name).Group {
			p.Address = "239.1.2.3"
		}
		return p
	}
	type change = func(*Params)
	for _, tt := range []struct {
		scenario       string
		taken, refused change
		want           string // part of the error
	}{
		{"rc-pingpong", func(p *Params) { p.Count = 1 }, func(p *Params) { p.Count = 0 }, "at least 1"},
		{"rc-pingpong", func(p *Params) { p.Size = 1 }, func(p *Params) { p.Size = 0 }, "at least 1"},
		{"rc-pingpong", func(p *Params) { p.RXDepth = 1 }, func(p *Params) { p.RXDepth = 0 }, "at least 1"},
		{"rc-pingpong", func(p *Params) { p.RXDepth = MaxRecvs }, func(p *Params) { p.RXDepth = MaxRecvs + 1 },
			"at most 1048576"},
		{"rc-pingpong", func(p *Params) { p.Size = MaxSize }, func(p *Params) { p.Size = MaxSize + 1 },
			"at most 2 GiB"},
		{"rping", func(p *Params) { p.Size = MaxTyped }, func(p *Params) { p.Size = MaxTyped + 1 }, "typed as a line"},
		{"chat", func(p *Params) { p.Size = MaxTyped }, func(p *Params) { p.Size = MaxTyped + 1 }, "typed as a line"},
		{"ping", func(p *Params) { p.Size = MaxTyped + 1 }, func(p *Params) { p.MTU = verbs.MTU256 },
			"has no path MTU"},
		{"rc-pingpong", func(p *Params) { p.MTU = verbs.MTU4096 }, func(p *Params) { p.MTU = verbs.MTU4096 + 1 },
			"the MTU must be"},
		{"srq-pingpong", func(p *Params) { p.QPs = 1 }, func(p *Params) { p.QPs = 0 }, "number of queue pairs"},
		{"srq-pingpong", func(p *Params) { p.QPs, p.RXDepth = 5, 5 }, func(p *Params) { p.QPs, p.RXDepth = 6, 5 },
			"number of queue pairs"},
		{"srq-pingpong", func(p *Params) { p.QPs, p.RXDepth = oob.MaxShared-1, 1000 },
			func(p *Params) { p.QPs, p.RXDepth = oob.MaxShared, 1000 }, "number of queue pairs"},
		{"rc-pingpong", func(p *Params) { p.QPs = 0 }, func(p *Params) { p.Address = "10.0.0.1" }, "not both"},
		{"rc-pingpong", func(p *Params) { p.Server, p.Address = false, "10.0.0.1" },
			func(p *Params) { p.Server = false }, "not both"},
		{"rc-pingpong", func(p *Params) { p.Server, p.Address = false, "host-1" },
			func(p *Params) { p.Server, p.Address = false, "a b" }, "not a host name"},
		{"mckey", func(p *Params) { p.Server = false }, func(p *Params) { p.Address = "" }, "address of the group"},
		{"ping", func(p *Params) { p.Persistent = true },
			func(p *Params) { p.Persistent, p.Server, p.Address = true, false, "10.0.0.1" }, "persistent applies"},
		{"rping", func(p *Params) { p.Persistent = true },
			func(p *Params) { p.Persistent, p.Server, p.Address = true, false, "10.0.0.1" }, "persistent applies"},
		{"chat", func(p *Params) { p.Persistent = true },
			func(p *Params) { p.Persistent, p.Server, p.Address = true, false, "10.0.0.1" }, "persistent applies"},
		{"serve", func(p *Params) { p.Persistent = true }, func(p *Params) { p.Server, p.Address = false, "10.0.0.1" },
			"only a server"},
		{"hello", func(*Params) {}, func(p *Params) { p.Persistent = true }, "persistent applies"},
		{"hello", func(p *Params) { p.Bind = "10.0.0.1" }, func(p *Params) { p.Bind = "a b" }, "not a host name"},
		{"ping", func(p *Params) { p.CM = "sync" }, func(p *Params) { p.CM = "x" }, "event mode"},
		{"ping", func(p *Params) { p.Nonblock, p.Events = true, true },
			func(p *Params) { p.Nonblock = true }, "needs events"},
		{"ping", func(p *Params) { p.Numbers = "be32" }, func(p *Params) { p.Numbers = "le32" }, "be64 or be32"},
		{"read-write", func(p *Params) { p.Op = "read" }, func(p *Params) { p.Op = "" }, "write or read"},
		{"cmatose", func(p *Params) { p.Connections = 1 }, func(p *Params) { p.Connections = 0 },
			"number of connections"},
		{"cmatose", func(p *Params) { p.Connections = maxConnections },
			func(p *Params) { p.Connections = maxConnections + 1 }, "number of connections"},
		{"cmatose", func(p *Params) { p.PS = "IB" }, func(p *Params) { p.PS = "UDP" }, "port space"},
		{"cmatose", func(p *Params) { p.Device = "soft0" }, func(p *Params) { p.Device = "soft 0" }, "not a device"},
		{"cmatose", func(*Params) {}, func(p *Params) { p.DevicePort = 1 }, "no device port"},
		{"cmatose", func(p *Params) { p.GIDIndex = -1 }, func(p *Params) { p.GIDIndex = 0 }, "no device port"},
		{"rc-pingpong", func(p *Params) { p.GIDIndex, p.DevicePort = 0, 1 },
			func(p *Params) { p.Name = "x" }, "no scenario"},
		{"chat", func(p *Params) { p.Size = len(chatAnswer) + 1 }, func(p *Params) { p.Size = len(chatAnswer) },
			"at least 12 bytes"},
		{"hello", func(p *Params) { p.Size = len(chatAnswer) }, func(p *Params) { p.Nonblock = true }, "needs events"},
		{"chat", func(p *Params) { p.Size, p.Messages = 12, []string{"a", "exactly 12 b"} },
			func(p *Params) { p.Size, p.Messages = 12, []string{"a", "more than 12 "} }, "longer than"},
	} {
		good, bad := server(tt.scenario), server(tt.scenario)
		tt.taken(&good)
		tt.refused(&bad)
		if err := good.Check(); err != nil {
			t.Errorf("%s: %v; refused %+v", tt.scenario, err, good)
		}
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.scenario, err, tt.want)
		}
	}
}

// TestScriptNames: a script's objects are renamed where one of their names is taken, text and comments are not.
func TestScriptNames(t *testing.T) {
	const text = "# cq of pd\nalloc_pd pd\nopen_device soft0\nloop\ncreate_cq cq cqe=2\nnote \"cq and pd\"\nclose conn1\n" +
		"connect_qps qp peer-1\nend"
	const want = "# cq of pd\nalloc_pd x-pd\nopen_device soft0\nloop\ncreate_cq x-cq cqe=2\nnote \"cq and pd\"\nclose x-conn1\n" +
		"connect_qps qp x-peer-1\nend"
	if got := renamed(text, []string{"pd", "cq", "conn1", "peer"}, "x-"); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	p := DefaultParams("hello")
	p.Server = true
	for taken, prefix := range map[string]string{"": "", "listen": "hello-", "listen hello-listen": "hello2-",
		"listen hello-events hello2-events": "hello3-"} {
		sc, err := p.NewScript(func(name string) bool { return slices.Contains(strings.Fields(taken), name) })
		if err != nil || !slices.Contains(sc.Names(), prefix+"listen") ||
			!slices.Contains(sc.Names(), prefix+"events") {
			t.Errorf("taken %q: %v, %v", taken, sc.Names(), err)
		}
	}
}
