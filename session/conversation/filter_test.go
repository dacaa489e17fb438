package conversation

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

func filterSubject(t *testing.T) *Subject {
	t.Helper()
	f := &capture.Frame{VLAN: 7, MAC: capture.MAC{Src: [6]byte{2, 0, 0, 0, 0, 0xa}}}
	f.Seq, f.Device = 3, "eth0"
	f.Src, f.Dst = netip.MustParseAddrPort("10.0.0.1:50000"), netip.MustParseAddrPort("[::ffff:10.0.1.2]:4791")
	f.IP.TrafficClass, f.IP.HopLimit = 26<<2, 64
	p := wire.Packet{
		BTH:  wire.BTH{Opcode: wire.RCWriteOnly, DestQP: 17, PSN: 0x3ea567},
		RETH: wire.RETH{VA: 0x1000, RKey: 5, DMALen: 4}, Payload: make([]byte, 4),
	}
	f.Data = append(p.Append(nil), 0, 0, 0, 0)
	f.Len = len(f.Data)
	if f.Decode(); f.Err != nil {
		t.Fatal(f.Err)
	}
	talk := Talk{Number: 2, Ends: [2]End{{QP: 40}, {QP: 17}}}
	return &Subject{f, Again | Congested, &Conversation{Talk: talk}}
}

// names knows one queue pair.
func names(qp string) (uint64, bool) { return 17, qp == "a" }

func TestFilter(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "retry": true, "nak": false, "NOT nak": true, "retry ecn": true,
		"retry nak": false, "retry and not nak": true,
		"nak or ecn": true, "nak or rnr": false, "not (nak or ecn)": false,
		"(nak or ecn) and retry": true, "not not retry": true,
		"nak ecn or retry": true, "retry or nak ecn": true,
		"psn==0x3ea567": true, "psn == 4105575": true, "psn!=1": true, "psn!=0x3EA567": false,
		"psn>1 psn<0x400000": true, "psn>=0x3ea567": true, "psn<=5": false,
		"qp==17": true, "qp==a": true, "qp!=a": false, "qp==40": true, "qp==18": false, "qp!=17": false,
		"dest_qp==40": false, "conversation==2": true, "n==3": true,
		"op~write": true, "op~READ": false, "op==rc_rdma_write_only": true,
		"op!=RC_SEND_ONLY": true, "device~ETH": true,
		"ip==10.0.0.1": true, "ip==10.0.1.0/24": true, "ip!=10.0.0.0/8": false, "src==10.0.1.2": false,
		"dst==10.0.1.2": true, "ip==fd00::1": false,
		"len==4": true, "vlan==7": true, "dscp==26": true, "ttl<64": false, "port==50000": true, "va==4096": true,
		"rkey==5": true, "qkey==0": false, "dma_len>3": true,
		"RETRY": true, "PSN==0x3ea567": true, "retry(ecn)": true, strings.Repeat("retry ", maxFilterDepth+1): true,
		"cut": false, "v1": false, "ack_req==0": true, "opcode==0x0a": true, "ecn==0": true, "ecn==3": false,
		"src_mac==02:00:00:00:00:0A": true, "dst_mac~0a": false,
	} {
		f, err := ParseFilter(text, names)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := f(filterSubject(t)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestAlone: a packet that belongs to no conversation has what it says itself.
func TestAlone(t *testing.T) {
	write, ud := filterSubject(t), filterSubject(t)
	write.Talk, ud.Talk = nil, nil
	p := wire.Packet{BTH: wire.BTH{Opcode: wire.UDSendOnly, DestQP: 17}, DETH: wire.DETH{SrcQP: 30}}
	ud.Data = append(p.Append(nil), 0, 0, 0, 0)
	ud.Decode()
	head, part := filterSubject(t), filterSubject(t) // the capture has the BTH, or less
	head.Data, part.Data = head.Data[:wire.BTHLen], part.Data[:wire.BTHLen-1]
	head.Marks |= Cut
	for _, c := range []struct {
		of   *Subject
		text string
		want bool
	}{
		{write, "conversation==0", true}, {write, "qp==17", true}, {write, "qp==40", false}, {write, "qp==0", false},
		{ud, "qp==17", true}, {ud, "qp==30", true}, {ud, "qp==0", false},
		{head, "psn==0x3ea567", true}, {part, "psn==0x3ea567", false}, {head, "cut", true},
	} {
		if f, err := ParseFilter(c.text, nil); err != nil || f(c.of) != c.want {
			t.Errorf("%v: %q passes %v (%v)", c.of.Wire.BTH.Opcode, c.text, !c.want, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"nack":                   `column 1: unknown name "nack"; did you mean nak?`,
		"psn":                    "column 4: psn needs one of == != <= >= < > and a value",
		"psn = 5":                "column 5: psn needs one of == != <= >= < > and a value",
		"psn==":                  "column 6: psn== needs a value",
		"psn==x":                 `column 6: "x" is not a number; write 17 or 0x11`,
		"psn==a":                 `column 6: "a" is not a number`,
		"qp==b":                  `column 5: "b" is not a number`,
		"psn==-1":                `column 6: "-1" is not a number; write 17 or 0x11`,
		"nak and":                "column 8: a condition is missing",
		"nak or or rnr":          `column 8: unknown name "or"`,
		"not nack":               `column 5: unknown name "nack"; did you mean nak?`,
		"not psn":                "column 8: psn needs one of == != <= >= < > and a value",
		"(nak":                   "column 5: a ) is missing",
		"nak)":                   `column 4: ")" has no opening parenthesis`,
		"ip==10.0.0":             `column 5: "10.0.0" is neither an address nor a prefix; write 10.0.0.1 or 10.0.0.0/8`,
		"ip~10":                  "column 3: ip needs one of == != and a value",
		"nak==1":                 "column 4: nak is a word without a value; leave out ==",
		"é nak":                  `column 1: unknown name "é"; use for example nak, rnr, retry, gap, psn, qp, op, ip, len`,
		"nak and é":              `column 9: unknown name "é"`,
		"op~ (":                  "column 5: op~ needs a value",
		strings.Repeat("(", 100): "column 65: nested more than 64 deep",
	} {
		_, err := ParseFilter(text, names)
		var mistake *FilterError
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

// TestWords: each word works, as a word or as a field, and is listed once; those of headers are sorted.
func TestWords(t *testing.T) {
	words := FilterWords()
	headers := words[len(packetFields):]
	if !slices.IsSortedFunc(headers, func(a, b FilterWord) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("not sorted: %v", headers)
	}
	for i, w := range words {
		if slices.ContainsFunc(words[:i], func(before FilterWord) bool { return before.Name == w.Name }) {
			t.Errorf("%s is listed twice", w.Name)
		}
		text := w.Name
		if w.Field {
			of, _ := findField(w.Name)
			text += map[bool]string{true: "==10.0.0.1", false: "==1"}[of.addrs != nil]
		}
		if _, err := ParseFilter(text, names); err != nil || w.Doc == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("nak or (rnr and psn==0x3ea567) not ip==10.0.0.0/8 op~write")
	f.Fuzz(func(t *testing.T, text string) {
		pass, err := ParseFilter(text, names)
		if err == nil {
			pass(filterSubject(t))
		}
	})
}
