package cm

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestPrivateLimit: the limits of the man pages.
func TestPrivateLimit(t *testing.T) {
	for space, want := range map[verbs.CMPortSpace]int{verbs.PortSpaceUDP: 180, verbs.PortSpaceIPoIB: 180,
		verbs.PortSpaceIB: 92, verbs.PortSpaceTCP: 56} {
		if got := privateLimit(command.RDMAConnect, space); got != want {
			t.Errorf("%s: %d bytes, want %d", space, got, want)
		}
	}
}

// TestPairPlace distinguishes two 64-bit numbers from two 32-bit ones.
func TestPairPlace(t *testing.T) {
	padded := func(s string) []byte { return append([]byte(s), make([]byte, 56-len(s))...) }
	for name, c := range map[string]struct {
		private       []byte
		first, second string
	}{
		"be64":           {padded(numbersOfPing("be64", 1000, 64)), "be64.0", "be64.8"},
		"be64, large":    {padded(numbersOfPing("be64", 1<<40, 1<<40)), "be64.0", "be64.8"},
		"be32":           {padded(numbersOfPing("be32", 1000, 64)), "be32.0", "be32.4"},
		"be32, unpadded": {[]byte(numbersOfPing("be32", 1000, 64)), "be32.0", "be32.4"},
		"nothing":        {nil, "be32.0", "be32.4"},
	} {
		if a, b := pairPlace(c.private, false), pairPlace(c.private, true); a != c.first || b != c.second {
			t.Errorf("%s: %s and %s", name, a, b)
		}
	}
}

// TestIsHost: valid hosts, and nothing that a line or a shell would interpret.
func TestIsHost(t *testing.T) {
	for host, want := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "0": true, "9": true, "node-1.lab_2": true, "10.9.0.1": true,
		"fe80::1%d0": true, "": true,
		"@": false, "[": false, "`": false, "{": false, "/": false, ":": false, "a b": false, "a;b": false,
		"a#b": false, "ä": false,
		strings.Repeat("a", 253): true, strings.Repeat("a", 254): false,
	} {
		if got := IsHost(host); got != want {
			t.Errorf("isHost(%q) is %v", host, got)
		}
	}
}

// TestSeenCMEventsAreBounded keeps the newest events for expect.
func TestSeenCMEventsAreBounded(t *testing.T) {
	var b seenCMEvents
	for port := range uint16(seenCMCap + 2) {
		b.Add(&arriving{CMEvent: timeline.CMEvent{Peer: netip.AddrPortFrom(netip.IPv4Unspecified(), port)}})
	}
	if len(b.events) != seenCMCap || b.events[0].Peer.Port() != 2 {
		t.Errorf("%d events kept, the oldest is number %d", len(b.events), b.events[0].Peer.Port())
	}
}

// TestManagerFieldsOfAnIdentifier: a field that the identifier does not have yet is an error that says what to do.
func TestManagerFieldsOfAnIdentifier(t *testing.T) {
	field := func(i *ID, name string) (string, error) {
		for _, f := range i.Fields() {
			if f.Name == name {
				return f.Text()
			}
		}
		t.Fatal("there is no field ", name)
		return "", nil
	}
	i := &ID{Node: &core.Node{Name: "id"}}
	for name, want := range map[string]string{"device": "id", "qp_num": "rdma_create_qp id"} {
		if got, err := field(i, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	i.dev, i.qp = &device.Device{Node: &core.Node{Name: "rxe0"}}, &queue.QP{Num: 0x17}
	for name, want := range map[string]string{"device": "rxe0", "qp_num": "0x000017"} {
		if got, err := field(i, name); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// numbersOfPing are the count and size as private data has them.
func numbersOfPing(form string, count, size uint64) string {
	if form == "be32" {
		return string(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(count)), uint32(size)))
	}
	return string(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, count), size))
}

// TestHangUp: only a connection that is established has to be ended.
func TestHangUp(t *testing.T) {
	for state := core.IDIdle; state <= core.IDError; state++ {
		for space, connects := range map[verbs.CMPortSpace]bool{verbs.PortSpaceTCP: true, verbs.PortSpaceIB: true,
			verbs.PortSpaceUDP: false, verbs.PortSpaceIPoIB: false} {
			i := &ID{ID: struct{ verbs.CMID }{}, PS: space, state: state}
			if got, want := i.HangUp(&core.Session{}) != nil, connects && state == core.IDConnected; got != want {
				t.Errorf("%s, %s: %v", space, state, got)
			}
		}
	}
}

// TestBeginAgain: a step that begins again replaces the earlier one of its name.
func TestBeginAgain(t *testing.T) {
	i := &ID{}
	first, again := time.Unix(1, 0), time.Unix(2, 0)
	i.begin("resolve_addr", first)
	i.begin("resolve_route", first)
	i.begin("resolve_addr", again)
	want := []core.StepTime{
		{Name: "resolve_route", Began: first, Pending: true}, {Name: "resolve_addr", Began: again, Pending: true},
	}
	if !slices.Equal(i.steps, want) {
		t.Errorf("%+v, want %+v", i.steps, want)
	}
}
