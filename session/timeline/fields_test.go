package timeline

import (
	"encoding/json"
	"errors"
	"math"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestEveryFieldIsInJSON: leaving out any one value changes an event's JSON.
func TestEveryFieldIsInJSON(t *testing.T) {
	at, from := netip.MustParseAddrPort("10.0.0.1:7"), netip.MustParseAddrPort("10.0.0.2:8")
	whole := []Event{
		{Command: &CommandDone{Number: 1, Line: "l", Resolved: "r", C: ccall.Text("c"), Result: "d",
			Created: []string{"x"}, Check: "k", Err: "e", Errno: "EIO", Hint: "h", Data: "{}", Took: 2}},
		{Async: &AsyncEvent{Type: verbs.EventPortErr, Device: "d", PortNum: 1, QP: "q", CQ: "c", SRQ: "s"}},
		{State: &StateChange{QP: "a", From: verbs.QPRTS, To: verbs.QPErr, Cause: "c"}},
		{Note: &Note{Level: LevelWarn, Text: "t"}},
		{CM: &CMEvent{Type: verbs.CMRejected, Channel: "c", ID: "i", Listen: "l", Device: "d", PS: verbs.PortSpaceTCP,
			Local: at, Peer: from, Status: 28,
			StatusText: "CONSUMER_DEFINED", Conn: &verbs.CMConnParam{QPNum: 5}, State: "s", Step: "connect",
			Took: 3, Hint: "h"}},
		{CM: &CMEvent{Type: verbs.CMEstablished, UD: &verbs.CMUDParam{QPNum: 5}}},
		{Packet: &Packet{T: 1, Device: "d", Outgoing: true, Src: at, Dst: from, Data: make([]byte, wire.BTHLen),
			Missed: 2, Err: errors.New("bad")}},
		{Kind: KindWC, WC: Completion{CQ: "c", QP: "q", Opcode: verbs.WRRDMARead, Matched: true, Latency: 4, Command: 5,
			Index: 6, Cause: &Cause{Incident: 1, Text: "t"}}},
		{Kind: KindWC, WC: Completion{CQ: "c", Recv: true, Matched: true, Latency: 4}},
	}
	// These show in another field, or only in Text.
	untold := map[string]bool{
		"Packet.At": true, "Packet.Seq": true, "Packet.IP": true, "Packet.Wire": true, "Completion.WC": true,
		"Completion.Room": true, "Completion.Arrived": true,
	}
	for i := range whole {
		e := &whole[i]
		all := string(e.AppendJSON(nil))
		if !json.Valid([]byte(all)) {
			t.Errorf("it is not valid JSON: %s", all)
		}
		for _, payload := range []any{e.Command, e.Async, e.State, e.Note, e.CM, e.Packet, &e.WC} {
			v := reflect.ValueOf(payload)
			if v.IsNil() || e.Kind != KindWC && payload == any(&e.WC) {
				continue
			}
			for f := range v.Elem().NumField() {
				field, name := v.Elem().Field(f), v.Elem().Type().Name()+"."+v.Elem().Type().Field(f).Name
				if field.IsZero() || untold[name] {
					continue
				}
				was := reflect.New(field.Type()).Elem()
				was.Set(field)
				field.SetZero()
				if without := string(e.AppendJSON(nil)); without == all {
					t.Errorf("%s does not show in %s", name, all)
				} else if !json.Valid([]byte(without)) {
					t.Errorf("without %s it is not valid JSON: %s", name, without)
				}
				field.Set(was)
			}
		}
	}
}

// TestStringsInJSON: characters that a terminal acts on are escaped, and decode to the same text.
func TestStringsInJSON(t *testing.T) {
	for s, want := range map[string]string{
		"": `""`, "a b~": `"a b~"`, "\"\\": `"\"\\"`,
		"\x00\x1f\x7f": `"\u0000\u001f\u007f"`, "é→\U0001f600": `"é→` + "\U0001f600" + `"`,
		"\u0080\u202e": `"\u0080\u202e"`, "\ufffd": `"` + "\ufffd" + `"`,
		"\xff": `"\ufffd"`, "\ue000\uffff": `"\ue000\uffff"`,
		"\U00010fff\U000e0001": `"\ud803\udfff\udb40\udc01"`, "\U0010ffff": `"\udbff\udfff"`,
	} {
		got := string(appendString(nil, s))
		if got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || s != "\xff" && back != s {
			t.Errorf("%q came back as %q, %v", s, back, err)
		}
	}
}

func TestFractions(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0", 1: "0.001", 1000: "1", 1500: "1.5", -1: "-0.001",
		-2500: "-2.5", 12345: "12.345", 10010: "10.01", 999: "0.999", math.MinInt64: "-9223372036854775.808"} {
		if got := string(appendFraction(nil, d, time.Microsecond)); got != want {
			t.Errorf("%d ns: %s µs, want %s", d, got, want)
		}
	}
}
