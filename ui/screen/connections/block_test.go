package connections

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// on is a screen over a session of its own on a provider.
func on(t *testing.T, p verbs.Provider, lines ...string) (*uitest.ScreenDriver, *uitest.Session) {
	sess := uitest.NewSession(t, session.Options{Live: true, Providers: []verbs.Provider{p}}, lines...)
	env := sess.Env(theme.New("none", true))
	return uitest.NewScreen(t, env, New(env)), sess
}

// A block copied in one instance can be pasted in another: first the address to
// connect to, then the region.
func TestBlockOfAnotherInstance(t *testing.T) {
	p := uitest.Soft(nil)
	server, there := on(t, p, "open_device soft0", "alloc_pd pd",
		"reg_mr dst pd=pd length=64 access=LOCAL_WRITE|REMOTE_WRITE")
	client, here := on(t, p)
	until := func(d *uitest.ScreenDriver, texts ...string) {
		t.Helper()
		d.Await(200, 50, texts...)
	}
	server.Keys("l", "enter", "b")
	until(server, "listener1 is in LISTENING")
	server.Keys("y")
	until(server, "copy:  1 ADDR PORT   2 host port addr rkey   3 row")
	server.Keys("2")
	if len(server.Copied) != 1 {
		t.Fatalf("copied %q", server.Copied)
	}
	client.Send(tea.PasteMsg{Content: server.Copied[0]})
	if n := len(here.Lines()); n != 0 {
		t.Errorf("a paste ran %d lines", n)
	}
	until(client, "new: conn1, a client", "connect to 127.0.0.")
	client.Keys("b")
	until(client, "conn1 is in CONNECTING")
	until(server, "asks for a connection")
	server.Keys("a")
	until(client, "conn1 is in CONNECTED")
	until(client, "peer peer qp_num=", "=       qp_num")
	mr, snap := there.Snapshot().MRs[0], here.Snapshot()
	told := snap.Peer("peer")
	if told == nil || len(told.Regions) != 1 || told.Regions[0].Addr != mr.Addr || told.Regions[0].RKey != mr.RKey ||
		told.Regions[0].Length != 64 {
		t.Fatalf("told %+v of %+v", told, mr)
	}
	if name, sure := snap.LikelyPeer(&snap.QPs[0]); name != "peer" || !sure {
		t.Errorf("the queue pair's peer is %q (%v)", name, sure)
	}
}

func TestReadBlock(t *testing.T) {
	for text, want := range map[string][3]string{
		"10.0.0.2 7000":      {"10.0.0.2 7000"},
		" 10.0.0.2:7000\r\n": {"10.0.0.2 7000"},
		"::1":                {"::1 7471"},
		"address 10.0.0.2, remote_addr 0x7f00 rkey 0x1f": {"10.0.0.2 7471", " addr=0x7f00 rkey=0x1f"},
		"addr 0x7f00 rkey 0x1f length 9":                 {"", " addr=0x7f00 rkey=0x1f length=9"},
		"qp_num 0x11 psn 1":                              {"", "", "Bring-up (2) takes"},
		"port 7000":                                      {"", "", "host is missing"},
		"hello\x1b world":                                {"", "", `"hello\x1b" is not a field`},
	} {
		address, region, err := readBlock(text)
		if err == nil != (want[2] == "") || err != nil && !strings.Contains(err.Error(), want[2]) || err == nil &&
			(address != want[0] || region != want[1]) {
			t.Errorf("%q: %q, %q, %v", text, address, region, err)
		}
	}
}

// The row under the cursor can be copied, and so can the next line.
func TestCopies(t *testing.T) {
	d, _ := on(t, uitest.Soft(nil))
	d.Keys("l", "enter", "b")
	d.Await(120, 40, "listener1 is in LISTENING")
	d.Keys("c")
	d.Type("127.0.0.1")
	d.Keys("enter", "enter")
	d.Await(120, 40, "conn1 is in IDLE")
	d.Keys("enter")
	d.Await(120, 40, "conn1 is in ADDR_RESOLVED")
	copied := func(keys ...string) string {
		d.Copied = nil
		d.Keys(keys...)
		return strings.Join(d.Copied, "|")
	}
	if got := copied("y", "1"); !strings.HasPrefix(got, "conn1  TCP  ADDR_RESOLVED") {
		t.Errorf("the row is %q", got)
	}
	if got := copied("tab", "y", "1"); !strings.HasPrefix(got, "alloc_pd pd id=conn1") {
		t.Errorf("the command is %q", got)
	}
	if got := copied("tab", "y"); !strings.Contains(got, "ADDR_RESOLVED  conn1") {
		t.Errorf("the event is %q", got)
	}
}
