package oob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

var (
	sampleRegion = Region{
		Name: "dst", Addr: 0x10dcb63ae000, Length: 4096, RKey: 0x730ad262, Access: verbs.LocalWrite | verbs.RemoteWrite,
	}
	fullRegions = func() (all []Region) {
		for i := range MaxRegions {
			all = append(all, Region{Name: "r" + strings.Repeat("x", i), Addr: uint64(i), Length: 1})
		}
		return all
	}()
)

func TestRegionsRoundTrip(t *testing.T) {
	for _, list := range [][]Region{nil, {sampleRegion}, fullRegions,
		{{Name: "azAZ_09", Addr: 1<<64 - 2, Length: 1, RKey: 1<<32 - 1, Access: 1<<32 - 1}, {Name: "z"}, {Name: "Z"}}} {
		got, err := ParseRegions(regionsWire(list))
		if err != nil || !slices.Equal(got, list) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if b := regionsWire(append(fullRegions, sampleRegion)); !bytes.Equal(b, regionsWire(fullRegions)) {
		t.Errorf("more than %d regions are sent", MaxRegions)
	}
	if got := string(regionsWire(
		[]Region{sampleRegion})); got != "regions:01\x00000010dcb63ae000:0000000000001000:730ad262:00000003:dst"+
		strings.Repeat(" ", 29)+"\x00" {
		t.Errorf("%q", got)
	}
}

func TestRegionsRefuseHostileBytes(t *testing.T) {
	good := string(regionsWire([]Region{sampleRegion}))
	for name, b := range map[string]string{
		"empty": "", "garbage": "\x1b[2J", "short": good[:len(good)-1],
		"long": good + "x", "no NUL": good[:len(good)-1] + "x",
		"too many": strings.Replace(good, ":01", ":21", 1), "more than there are": strings.Replace(good, ":01", ":02",
			1), "sign": strings.Replace(good, ":01", ":+1", 1),
		"sign in an address": strings.Replace(good, "000010", "-00010", 1),
		"space":              strings.Replace(good, "000010", " 00010", 1),
		"no name":            strings.Replace(good, "dst", "   ", 1),
		"escape in a name": strings.Replace(good, "dst", "\x1b[J",
			1), "dot": strings.Replace(good, "dst", "d.t", 1),
		"digit first": strings.Replace(good, "dst", "1st", 1), "space inside": strings.Replace(good, "dst ", "d st", 1),
		"beyond 64 bits": strings.Replace(good, "000010", "ffffff", 1)[:len("regions:01\x00")] +
			"ffffffffffffffff" + good[len("regions:01\x00")+16:],
		"twice": strings.Replace(good, ":01", ":02", 1) + good[headLen:],
	} {
		got, err := ParseRegions([]byte(b))
		if err == nil {
			t.Errorf("%s: taken as %+v", name, got)
		} else if strings.ContainsAny(err.Error(), "\x00\x1b\n") {
			t.Errorf("%s: raw bytes in %q", name, err)
		}
	}
}

// TestRegionHeads: the parts of a list must have their length and end with NUL.
func TestRegionHeads(t *testing.T) {
	for head, want := range map[string]int{"regions:00\x00": 0, "regions:20\x00": 32, "regions:21\x00": -1,
		"regions:001": -1, "regions:1\x00": -1, "regions:01\x00\x00": -1, "Regions:01\x00": -1, "regions:0x\x00": -1} {
		if n, err := regionCount([]byte(head)); (err == nil) != (want >= 0) || err == nil && n != want {
			t.Errorf("%q: %d, %v", head, n, err)
		}
	}
	line := string(regionsWire([]Region{sampleRegion})[headLen:])
	for _, bad := range []string{line[:lineLen-1] + "x", line[:lineLen-1], line + "\x00",
		strings.Replace(line, ":dst", "_dst", 1), strings.Replace(line, "00001000:", "0000100:0", 1)} {
		if r, err := parseRegion([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, r)
		}
	}
	if r, err := parseRegion([]byte(line)); err != nil || r != sampleRegion {
		t.Errorf("%+v, %v", r, err)
	}
}

// broken is a connection that fails.
type broken struct{ net.Conn }

func (broken) Read([]byte) (int, error)         { return 0, syscall.EIO }
func (broken) Write([]byte) (int, error)        { return 0, syscall.EIO }
func (broken) SetDeadline(time.Time) error      { return nil }
func (broken) SetReadDeadline(time.Time) error  { return nil }
func (broken) SetWriteDeadline(time.Time) error { return nil }

// TestEndsFail: a connection that fails is not a peer that tells nothing.
func TestEndsFail(t *testing.T) {
	c := &Conn{broken{}}
	for name, end := range map[string]func() error{
		"client":  func() error { _, _, err := c.EndAsClient(t.Context(), nil); return err },
		"server":  func() error { _, _, err := c.EndAsServer(t.Context(), nil); return err },
		"regions": func() error { _, err := c.receiveRegions(t.Context(), time.Hour); return err },
	} {
		if err := end(); !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRegionName(t *testing.T) {
	long := strings.Repeat("a", 40)
	for name, want := range map[string]string{"a/b:c@d[e`f{g": "a_b_c_d_e_f_g", "dst": "dst",
		"my-mr": "my_mr", "_x": "r_x", long: long[:31],
		"ü": "r__", "": "r"} {
		if got := RegionName(name); got != want || !isRegionName(got) {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func FuzzParseRegions(f *testing.F) {
	f.Add(regionsWire(nil))
	f.Add(regionsWire([]Region{sampleRegion}))
	f.Add(regionsWire(fullRegions))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := ParseRegions(b)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x00\x1b\n") {
				t.Errorf("raw bytes in %q", err)
			}
			return
		}
		if again, err := ParseRegions(regionsWire(list)); err != nil || !slices.Equal(again, list) ||
			len(list) > MaxRegions {
			t.Errorf("%q reads back as %+v, %v", b, again, err)
		}
	})
}

// TestEnds plays the end of the dialogue with a peer of our own, a stock program, and one that sends wrong numbers.
func TestEnds(t *testing.T) {
	type end func(context.Context, *Conn) ([]Region, bool, error)
	server := end(func(ctx context.Context, c *Conn) ([]Region, bool, error) {
		return c.EndAsServer(ctx, []Region{sampleRegion})
	})
	client := end(func(ctx context.Context, c *Conn) ([]Region, bool, error) { return c.EndAsClient(ctx, fullRegions) })
	say := func(text string) end {
		return func(ctx context.Context, c *Conn) ([]Region, bool, error) {
			go func() { _, _ = io.Copy(io.Discard, c.c) }()
			return nil, false, c.write(ctx, []byte(text))
		}
	}
	stay := func(text string) end {
		return func(ctx context.Context, c *Conn) ([]Region, bool, error) {
			go func() { _, _ = io.Copy(io.Discard, c.c) }()
			err := c.write(ctx, []byte(text))
			<-ctx.Done()
			return nil, false, err
		}
	}
	closes := end(func(ctx context.Context, c *Conn) ([]Region, bool, error) {
		err := c.SendDone(ctx)
		c.c.Close()
		return nil, false, err
	})
	deaf := end(func(ctx context.Context, c *Conn) ([]Region, bool, error) {
		err := c.SendDone(ctx)
		<-ctx.Done()
		return nil, false, err
	})
	stockServer := end(func(ctx context.Context, c *Conn) ([]Region, bool, error) {
		return nil, false, c.ReceiveDone(ctx)
	})
	for _, tt := range []struct {
		name     string
		one, two end // one is checked
		want     []Region
		told     bool
		err      string
	}{
		{"server and client", server, client, fullRegions, true, ""},
		{"client and server", client, server, []Region{sampleRegion}, true, ""},
		{"server and stock client", server, say("done\x00"), nil, false, ""},
		{"server and a client that stays", server, stay("done\x00"), nil, false, ""},
		{"server and a client that closes", server, closes, nil, false, ""},
		{"server and a client that does not read", server, deaf, nil, false, ""},
		{"server and one that stalls", server, stay("done\x00reg"), nil, false, "the peer's regions"},
		{"client and stock server", client, stockServer, nil, false, ""},
		{"server and a client that sends a wrong number", server, say("done\x00regions:ff\x00"), nil, false,
			"with NN at most 32"},
		{"server and one that stops", server, say("done\x00regions:02\x00"), nil, false, "the peer's 2 regions"},
		{"server and one that stops early", server, say("done\x00reg"), nil, false, "the peer's regions"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			a, b := net.Pipe()
			go func() {
				defer b.Close()
				_, _, _ = tt.two(ctx, &Conn{b})
			}()
			got, told, err := tt.one(ctx, &Conn{a})
			a.Close()
			if !slices.Equal(got, tt.want) || told != tt.told || (err == nil) != (tt.err == "") || err != nil &&
				!strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %d regions, told %v, %v", tt.name, len(got), told, err)
			}
		})
	}
}

// TestEndCancelled: an end that is cancelled while it waits returns the cancellation, not a missing list of regions.
func TestEndCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		defer b.Close()
		defer a.Close()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, _, err := (&Conn{a}).EndAsClient(ctx, nil)
			ended <- err
		}()
		if _, err := io.ReadFull(b, make([]byte, len("done\x00"))); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // it waits for the regions
		cancel()
		if err := <-ended; err != context.Canceled {
			t.Error(err)
		}
	})
}
