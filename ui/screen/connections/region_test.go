package connections

import (
	"encoding/hex"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/uitest"
)

// TestRegionInTheAnswer: accepting a request tells the client where it may write, and the client records it, after "run
// all" without another key.
func TestRegionInTheAnswer(t *testing.T) {
	for key, then := range map[string][]string{"b": nil, "enter": {"b"}} {
		p := uitest.Soft(nil)
		server, there := on(t, p)
		client, here := on(t, p)
		until := func(d *uitest.ScreenDriver, texts ...string) {
			t.Helper()
			d.Await(200, 50, texts...)
		}
		server.Keys("l", "enter", "b")
		until(server, "listener1 is in LISTENING")
		server.Keys("y", "1")
		client.Send(tea.PasteMsg{Content: server.Copied[0]})
		for client.Keys(key); key == "enter" && len(there.Snapshot().IDs) == 1; time.Sleep(time.Millisecond) {
			client.Keys(key) // one line each time
		}
		until(client, "conn1 is in CONNECTING")
		until(server, "asks for a connection")
		server.Keys("a")
		until(client, "conn1 is in CONNECTED")
		if then != nil {
			until(client, "enter  query_qp qp", "then   peer peer qp_num=")
		}
		client.Keys(then...)
		until(client, "✓       peer peer qp_num=")
		mr, snap := there.Snapshot().MRs[0], here.Snapshot()
		told := snap.Peer("peer")
		if told == nil || len(told.Regions) != 1 || told.Regions[0].Addr != mr.Addr ||
			told.Regions[0].RKey != mr.RKey || told.Regions[0].Length != mr.Length {
			t.Fatalf("told %+v of %+v", told, mr)
		}
		if name, sure := snap.LikelyPeer(&snap.QPs[0]); name != "peer" || !sure {
			t.Errorf("the queue pair's peer is %q (%v)", name, sure)
		}
	}
}

func TestSentRegion(t *testing.T) {
	const good = "72646d61" + "0000000000007f00" + "0000001f" + "0000000000001000"
	for data, want := range map[string]string{
		good:                     " addr=0x7f00 rkey=0x1f length=4096",
		good + "000000":          " addr=0x7f00 rkey=0x1f length=4096",
		good + "000001":          "",
		good[:len(good)-2]:       "",
		"68656c6c6f" + good[10:]: "",
		"":                       "",
	} {
		p, err := hex.DecodeString(data)
		if err != nil {
			t.Fatal(err)
		}
		if got := sentRegion(p); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}
