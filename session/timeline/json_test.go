package timeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	"rdmatui/session/ccall"
	"rdmatui/verbs"
)

func TestEventJSON(t *testing.T) {
	tests := []struct {
		name string
		e    Event
		want string
	}{
		{
			"a command that failed",
			Event{Seq: 3, T: 1500 * time.Millisecond, Kind: KindCommand, Command: &CommandDone{
				Line: `modify_qp a RTS`, Resolved: "modify_qp a RTS sq_psn=0",
				C: ccall.Text("ibv_modify_qp(a, …)"), Check: "missing timeout",
				Err: "ibv_modify_qp: invalid argument (EINVAL)", Errno: "EINVAL", Hint: "go through RTR",
				Took: 12345 * time.Nanosecond}},
			`{"seq":3,"t":1.5,"event":"command","line":"modify_qp a RTS","resolved":"modify_qp a RTS sq_psn=0","call":"ibv_modify_qp(a, …)",` +
				`"check":"missing timeout","error":"ibv_modify_qp: invalid argument (EINVAL)","errno":"EINVAL","hint":"go through RTR","took_us":12.345}`,
		},
		{
			"a command that made something",
			Event{Seq: 1, Kind: KindCommand, Command: &CommandDone{Number: 12, Line: "alloc_pd pd", Result: "handle 1",
				Created: []string{"pd", "x"}}},
			`{"seq":1,"t":0,"event":"command","number":12,"line":"alloc_pd pd","result":"handle 1","created":["pd","x"],"took_us":0}`,
		},
		{
			"a RECV",
			Event{Seq: 9, T: 1, Kind: KindWC, WC: Completion{CQ: "cq", QP: "b", Recv: true, Matched: true,
				Latency: 18 * time.Microsecond, Command: 14, Index: 2,
				WC: verbs.WC{WRID: 7, Opcode: verbs.WCRecv, ByteLen: 5, QPNum: 17, WCFlags: verbs.WCWithImm,
					ImmData: 0x11223344}}},
			`{"seq":9,"t":0.000000001,"event":"wc","cq":"cq","qp":"b","wr_id":7,"status":"SUCCESS","opcode":"RECV","byte_len":5,` +
				`"imm_data":287454020,"qp_num":17,"wc_flags":"WITH_IMM","wr_opcode":"RECV","latency_us":18,"command":14,"index":2}`,
		},
		{
			"a failed SEND has only defined fields",
			Event{Seq: 10, T: 2 * time.Second, Kind: KindWC,
				WC: Completion{CQ: "cq", Matched: true, Opcode: verbs.WRSend,
					WC: verbs.WC{WRID: 1, Status: verbs.WCRetryExcErr, VendorErr: 0x81, Opcode: verbs.WCRecv,
						ByteLen: 99,
						QPNum:   17}}},
			`{"seq":10,"t":2,"event":"wc","cq":"cq","wr_id":1,"status":"RETRY_EXC_ERR","vendor_err":129,"qp_num":17,"wr_opcode":"SEND","latency_us":0}`,
		},
		{
			"an asynchronous event",
			Event{Seq: 4, Kind: KindAsync, Async: &AsyncEvent{Type: verbs.EventPortErr, Device: "rxe0", PortNum: 12}},
			`{"seq":4,"t":0,"event":"async","event_type":"PORT_ERR","device":"rxe0","port_num":12}`,
		},
		{
			"an event of a shared receive queue",
			Event{Seq: 4, Kind: KindAsync,
				Async: &AsyncEvent{Type: verbs.EventSRQLimitReached, Device: "rxe0", SRQ: "srq"}},
			`{"seq":4,"t":0,"event":"async","event_type":"SRQ_LIMIT_REACHED","device":"rxe0","srq":"srq"}`,
		},
		{
			"a state change",
			Event{Seq: 5, Kind: KindState,
				State: &StateChange{QP: "a", From: verbs.QPRTS, To: verbs.QPErr, Cause: "QP_FATAL"}},
			`{"seq":5,"t":0,"event":"state","qp":"a","from":"RTS","to":"ERR","cause":"QP_FATAL"}`,
		},
		{
			"a note",
			Event{Seq: 6, Kind: KindNote, Note: &Note{Level: LevelWarn, Text: "tab\there"}},
			`{"seq":6,"t":0,"event":"note","level":"warn","text":"tab\u0009here"}`,
		},
		{
			"a packet that cannot be parsed",
			Event{Seq: 8, Kind: KindPacket,
				Packet: &Packet{Device: "soft0", Data: []byte{1}, Err: errors.New("too short")}},
			`{"seq":8,"t":0,"event":"packet","at":0,"device":"soft0","direction":"in","src":"invalid AddrPort","dst":"invalid AddrPort","error":"too short","payload_len":0,"len":1}`,
		},
		{
			"a completion whose cause is known",
			Event{Seq: 2, Kind: KindWC, WC: Completion{WC: verbs.WC{WRID: 1, Status: verbs.WCRetryExcErr, QPNum: 17},
				Cause: &Cause{Incident: 3, Text: "why"}}},
			`{"seq":2,"t":0,"event":"wc","wr_id":1,"status":"RETRY_EXC_ERR","vendor_err":0,"qp_num":17,"cause":"probably: why","incident":3}`,
		},
		{
			"a connection",
			Event{Seq: 2, Kind: KindCM, CM: &CMEvent{Type: verbs.CMEstablished, ID: "i", PS: verbs.PortSpaceTCP,
				Conn: &verbs.CMConnParam{ResponderResources: 1, InitiatorDepth: 2, FlowControl: true, RetryCount: 3,
					RNRRetryCount: 4, SRQ: true, QPNum: 5}}},
			`{"seq":2,"t":0,"event":"cm","cm_event":"ESTABLISHED","id":"i","ps":"TCP","status":0,"responder_resources":1,"initiator_depth":2,"flow_control":1,"retry_count":3,"rnr_retry_count":4,"srq":1,"qp_num":5}`,
		},
		{
			"datagrams, without a global address",
			Event{Seq: 2, Kind: KindCM, CM: &CMEvent{Type: verbs.CMEstablished,
				UD: &verbs.CMUDParam{QPNum: 5, QKey: 6, AH: verbs.AHAttr{DLID: 7}}}},
			`{"seq":2,"t":0,"event":"cm","cm_event":"ESTABLISHED","status":0,"dlid":7,"qp_num":5,"qkey":6}`,
		},
		{"a kind without payload", Event{Seq: 7, Kind: KindPacket}, `{"seq":7,"t":0,"event":"packet"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(tt.e.AppendJSON(nil))
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if !json.Valid([]byte(got)) {
				t.Error("it is not valid JSON")
			}
		})
	}
}

// TestPrivateDataInJSON: the peer's private data shows for connections and for datagrams.
func TestPrivateDataInJSON(t *testing.T) {
	for name, cm := range map[string]CMEvent{
		"connection": {Conn: &verbs.CMConnParam{PrivateData: []byte("ab")}},
		"datagrams":  {UD: &verbs.CMUDParam{PrivateData: []byte("ab")}},
	} {
		e := Event{Kind: KindCM, CM: &cm}
		if text := string(e.AppendJSON(nil)); !strings.Contains(text, `"private_data":"6162"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestWCFieldsAgreeWithVerbs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	opcodes, statuses := verbs.WCOpcodes.Values(), verbs.WCStatuses.Values()
	for range 500 {
		wc := verbs.WC{
			WRID: rnd.Uint64(), Opcode: opcodes[rnd.IntN(len(opcodes))], VendorErr: rnd.Uint32(), ByteLen: rnd.Uint32(),
			ImmData: rnd.Uint32(), InvalidatedRKey: rnd.Uint32(), QPNum: verbs.QPN(rnd.Uint32N(1 << 24)),
			SrcQP: verbs.QPN(rnd.Uint32N(1 << 24)), WCFlags: verbs.WCFlags(rnd.Uint32N(16)),
			PKeyIndex: uint16(rnd.Uint32()), SLID: uint16(rnd.Uint32()), SL: uint8(rnd.Uint32N(16)),
		}
		if rnd.IntN(2) == 0 {
			wc.Status = statuses[rnd.IntN(len(statuses))]
		}
		want, err := json.Marshal(wc)
		if err != nil {
			t.Fatal(err)
		}
		got := append(appendWC(nil, &wc), '}')
		got[0] = '{'
		if !bytes.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", `q"b\`, "\x1b[31m", "\u009b2J", "\u202eabc", "\xff\xfe",
		"\U000e0001", "é→", "\x7f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := appendString(nil, s)
		var back string
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); len([]rune(back)) < len([]rune(want)) {
			t.Errorf("%q came back as %q", s, back)
		}
		for _, r := range string(b) {
			if !unicode.IsPrint(r) {
				t.Errorf("%q holds the unprintable %U", b, r)
			}
		}
	})
}

func TestNamesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for k := range kinds {
		seen[k.String()] = true
	}
	want := map[string]bool{
		"command": true, "wc": true, "cm": true, "async": true, "state": true, "packet": true, "note": true,
	}
	if !maps.Equal(seen, want) {
		t.Errorf("kinds are %v", seen)
	}
	if got := Kind(99).String() + Level(99).String(); got != "unknown(99)unknown(99)" {
		t.Error(got)
	}
}

func BenchmarkEventJSON(b *testing.B) {
	e := Event{Seq: 9, T: 123456789, Kind: KindWC,
		WC: Completion{CQ: "cq", QP: "b", Recv: true, Matched: true, Latency: 18500,
			WC: verbs.WC{WRID: 7, Opcode: verbs.WCRecv, ByteLen: 4096, QPNum: 17}}}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = e.AppendJSON(buf[:0])
	}
}

// TestConnText names the parameters of a connection, or of a datagram peer, if the event has any.
func TestConnText(t *testing.T) {
	for want, e := range map[string]CMEvent{
		"": {Conn: &verbs.CMConnParam{}, UD: &verbs.CMUDParam{}},
		"responder_resources=1 initiator_depth=2 flow_control=1 retry_count=7 rnr_retry_count=6 srq=0 qp_num=0x000011": {Conn: &verbs.CMConnParam{
			ResponderResources: 1, InitiatorDepth: 2, FlowControl: true, RetryCount: 7, RNRRetryCount: 6, QPNum: 17}},
		"qp_num=0x000001 qkey=0x00000022 dgid=:: dlid=3": {
			UD: &verbs.CMUDParam{QPNum: 1, QKey: 0x22, AH: verbs.AHAttr{DLID: 3}}},
	} {
		if got := e.ConnText(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPrivateText: the zeros at the end are counted, not shown.
func TestPrivateText(t *testing.T) {
	for data, want := range map[string]string{
		"": "", "\x00": "1 zeros", "\x00\x00": "2 zeros", "a": `61 "a"`, "\x00a": `0061 "\x00a"`,
		"a\x00": `61 "a" and 1 zeros`, "hé\x00\x00": `68c3a9 "h\u00e9" and 2 zeros`,
	} {
		e := CMEvent{Conn: &verbs.CMConnParam{PrivateData: []byte(data)}}
		if got := e.PrivateText(); got != want {
			t.Errorf("%q: %s, want %s", data, got, want)
		}
	}
	if got := (&CMEvent{}).PrivateText(); got != "" {
		t.Errorf("of nothing: %s", got)
	}
}
