package script_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

func TestLoops(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		notes  int    // notes of the script
		err    string // "" on success
	}{
		"counted":         {"loop 3\nnote x\nend\nnote y", 4, ""},
		"nested":          {"loop 3\nnote x\n loop 2\n note y\n end\nend", 9, ""},
		"left":            {"loop\nnote x\nuntil expect mem m 0 u8:0\nnote y\nend\nnote z", 2, ""},
		"inner left only": {"loop 2\nloop\nuntil expect mem m 0 u8:0\nend\nnote x\nend", 2, ""},
		"not left":        {"loop 2\nuntil expect mem m 0 u8:1\nnote x\nend", 2, ""},
		"by a reference":  {"write_mem m be32:2\nloop m.be32.0\nnote x\nend", 2, ""},
		"by zero":         {"loop m.be32.0\nnote x\nend", 0, "test:4: a loop runs at least once"},
		"by no number":    {"loop zz\nnote x\nend", 0, `test:4: column 6: n: "zz" is not a number`},
		"a line fails":    {"loop\nnote x\nclose nothing\nend", 1, "test:6: no object"},
		"no end":          {"loop 2\nnote x", 0, "the loop of line 4 has no end"},
		"no loop":         {"end", 0, "test:4: there is no open loop or try here"},
		"too deep":        {strings.Repeat("loop 1\n", 9), 0, "nested too deep"},
		"until misspelt":  {"loop\nuntil exspect\nend", 0, "unknown command"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := sessiontest.NewFaked(t, core.Options{})
			err := s.RunScript(t.Context(), "test",
				strings.NewReader("open_device\nalloc_pd\nreg_mr m length=64\n"+c.script))
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, not %q", err, c.err)
			}
			n := 0
			for _, e := range s.Timeline().Snapshot() {
				if e.Note != nil {
					n++
				}
			}
			if n != c.notes {
				t.Errorf("%d notes, not %d", n, c.notes)
			}
		})
	}
}

func TestEndlessLoopIsStopped(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.RunScript(ctx, "test", strings.NewReader("loop\nend")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLoopAlone(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	for _, line := range []string{"loop 3", "try", "end"} {
		if done, err := s.Exec(t.Context(), line); err == nil || !strings.Contains(done.Hint, "repeat") {
			t.Errorf("%s: %v, hint %q", line, err, done.Hint)
		}
	}
}

// TestNumbersInMemory reads by reference what write_mem wrote.
func TestNumbersInMemory(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunLines(t, s, "open_device\nalloc_pd\nreg_mr m length=16\nwrite_mem m be64:m.addr,be32:m.rkey,le32:64\nreg_mr n length=16\nwrite_mem n be64:m.addr,be32:m.rkey,le32:64")
	for field, want := range map[string]string{"be64.0": "4096", "be32.8": "18", "le32.12": "64", "u8.15": "0"} {
		if got, err := s.Core().LookUp("m", field); got != want || err != nil {
			t.Errorf("m.%s is %s, %v", field, got, err)
		}
	}
	for _, field := range []string{"be64.17", "be32.x", "be7.0", "be32"} {
		if got, err := s.Core().LookUp("m", field); err == nil {
			t.Errorf("m.%s is %s", field, got)
		}
	}
	sessiontest.Execute(t, s, "expect mem m like=n")
	sessiontest.Execute(t, s, "write_mem n u8:9 offset=15")
	for line, want := range map[string]string{
		"expect mem m like=n": "differs at offset 15", "expect mem m": "needs data",
		"expect mem m u8:1 like=n": "needs data",
	} {
		if _, err := s.Exec(t.Context(), line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestWayBack(t *testing.T) {
	d := &device.Device{Ports: []verbs.PortAttr{{LinkLayer: verbs.LinkEthernet}},
		GIDs: device.GIDTable{Rows: []verbs.GIDEntry{
			{PortNum: 1, Index: 0, Type: verbs.GIDTypeRoCEv1, GID: mustGID("::ffff:10.0.0.2")},
			{PortNum: 1, Index: 1, Type: verbs.GIDTypeRoCEv2, GID: mustGID("fe80::2")},
			{PortNum: 1, Index: 2, Type: verbs.GIDTypeRoCEv2, GID: mustGID("::ffff:10.0.0.2")},
			{PortNum: 1, Index: 3, Type: verbs.GIDTypeRoCEv2, GID: mustGID("::ffff:10.0.0.3")},
		}}}
	came := verbs.WC{Opcode: verbs.WCRecv, WCFlags: verbs.WCGRH, SL: 3}
	v4 := make([]byte, verbs.GRHLen)
	v4[20], v4[21] = 0x45, 184
	copy(v4[32:], []byte{10, 0, 0, 1, 10, 0, 0, 2})
	other := slices.Clone(v4)
	other[39] = 3
	v6 := make([]byte, verbs.GRHLen)
	binary.BigEndian.PutUint32(v6, 0x6b8fedcb)
	src, dst := mustGID("fe80::1"), mustGID("fe80::2")
	copy(v6[8:], src[:])
	copy(v6[24:], dst[:])
	for name, c := range map[string]struct {
		wc    verbs.WC
		grh   []byte
		dgid  string
		index uint8
		class uint8
		flow  uint32
		err   string
	}{
		"IPv4":    {came, v4, "::ffff:10.0.0.1", 2, 184, 0, ""},
		"another": {came, other, "::ffff:10.0.0.1", 3, 184, 0, ""},
		"IPv6":    {came, v6, "fe80::1", 1, 184, 0xfedcb, ""},
		"no GRH":  {came, make([]byte, verbs.GRHLen), "", 0, 0, 0, "not a GRH"},
		"a SEND":  {verbs.WC{Opcode: verbs.WCSend}, v4, "", 0, 0, 0, "not that of a received message"},
		"a failure": {verbs.WC{Opcode: verbs.WCRecv, Status: verbs.WCWRFlushErr}, v4, "", 0, 0, 0,
			"not that of a received message"},
		"InfiniBand": {verbs.WC{Opcode: verbs.WCRecv, SLID: 7}, v4, "::", 0, 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := queue.WayBack(d, &c.wc, c.grh, 1)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v, not %q", err, c.err)
				}
				return
			}
			if err != nil || a.GRH.DGID.String() != c.dgid || a.GRH.SGIDIndex != c.index || a.SL != c.wc.SL ||
				a.DLID != c.wc.SLID ||
				a.GRH.TrafficClass != c.class || a.GRH.FlowLabel != c.flow {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

func mustGID(text string) verbs.GID {
	g, err := verbs.ParseGID(text)
	if err != nil {
		panic(err) // a mistake in the test
	}
	return g
}

// TestTry: a try block ends at the first failing line, destroys what it made, and the
// script continues.
func TestTry(t *testing.T) {
	const begin = "open_device\nalloc_pd\nreg_mr m length=64\n"
	for name, c := range map[string]struct {
		script string
		notes  string // remarks of the script, in order
		left   string // objects in addition to those of begin
		err    string // "" on success
	}{
		"goes through": {"try\nnote a\nend\nnote b", "a b", "", ""},
		"a line fails": {"try\nnote a\nclose nothing\nnote b\nend\nnote c", "a c", "", ""},
		"what it made": {
			"try\nreg_mr n length=64\nalloc_pd q\nreg_mr o pd=q length=64\nclose nothing\nend\nreg_mr n length=8", "",
			"n", ""},
		"at its end":           {"try\nreg_mr n length=64\nend", "", "", ""},
		"what was there stays": {"reg_mr k length=64\ntry\nclose nothing\nend", "", "k", ""},
		"closed by itself":     {"try\nreg_mr n length=64\nclose n\nclose nothing\nend\nnote a", "a", "", ""},
		"in a loop": {"loop 2\nnote a\ntry\nreg_mr n length=64\nclose nothing\nend\nnote b\nend",
			"a b a b", "", ""},
		// the name is taken in the second round
		"a loop in it":         {"try\nloop\nreg_mr n length=64\nend\nend\nnote a", "a", "", ""},
		"a loop that is wrong": {"try\nloop m.be32.0\nend\nend\nnote a", "a", "", ""},
		"until leaves both": {"loop\ntry\nreg_mr n length=64\nuntil expect mem m 0 u8:0\nnote a\nend\nend\nnote b",
			"b", "", ""},
		"inner only": {"try\ntry\nclose nothing\nend\nnote a\nend\nnote b", "a b", "", ""},
		"outer too": {
			"try\nreg_mr n length=64\ntry\nreg_mr o length=64\nend\nclose nothing\nnote a\nend\nnote b", "b", "", ""},
		"after it": {"try\nend\nclose nothing", "", "", "test:6: no object"},
		"no end":   {"try\nnote a", "", "", "the try of line 4 has no end"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := sessiontest.NewFaked(t, core.Options{})
			err := s.RunScript(t.Context(), "test", strings.NewReader(begin+c.script))
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, not %q", err, c.err)
			}
			var notes, left []string
			for _, e := range s.Timeline().Snapshot() {
				if e.Note != nil && len(e.Note.Text) == 1 {
					notes = append(notes, e.Note.Text)
				}
			}
			for _, o := range s.Snapshot().Objects[3:] {
				left = append(left, o.Name)
			}
			if strings.Join(notes, " ") != c.notes || strings.Join(left, " ") != c.left {
				t.Errorf("notes %q, want %q; objects left %v, want %q", notes, c.notes, left, c.left)
			}
		})
	}
}

// TestTryTells: a try block reports in one line what failed; it does not keep a stopped script running.
func TestTryTells(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunLines(t, s, "open_device\ntry\nclose nothing\nend")
	var told []string
	for _, e := range s.Timeline().Snapshot() {
		if e.Note != nil {
			told = append(told, e.Note.Text)
		}
	}
	if len(told) != 1 ||
		!strings.HasPrefix(told[0], "line 3 failed, and the rest of its try block is skipped: no object") {
		t.Errorf("%q", told)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.RunScript(ctx, "test", strings.NewReader("try\nnote a\nend")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
