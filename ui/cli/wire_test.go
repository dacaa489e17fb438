package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
	"rdmatui/verbs/wire"
)

// runWire runs rdmatui wire with arguments.
func runWire(t *testing.T, stdin []byte, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	p := &Program{Stdin: bytes.NewReader(stdin), Stdout: &out, Stderr: &err}
	status = p.Run(context.Background(), append([]string{"wire"}, args...))
	return status, out.String(), err.String()
}

// oneEnd is the capture of a SEND, its answer and a lost SEND; at is 0 near the sender
// and 1 near the receiver, whose clock is two seconds ahead.
func oneEnd(t *testing.T, at int) string {
	t.Helper()
	var file bytes.Buffer
	w := capture.NewWriter(&file)
	alice, bob := netip.MustParseAddrPort("10.0.0.1:4791"), netip.MustParseAddrPort("10.0.0.2:4791")
	for i, p := range []struct {
		src, dst netip.AddrPort
		op       wire.Opcode
		lost     bool
	}{{alice, bob, wire.RCSendOnly, false}, {bob, alice, wire.RCAcknowledge, false},
		{alice, bob, wire.RCSendOnly, true}, {alice, bob, wire.RCSendOnly, false}} {
		near := (p.src == alice) == (at == 0)
		if p.lost && !near {
			continue
		}
		packet := wire.Packet{BTH: wire.BTH{Opcode: p.op, DestQP: 0x22, PSN: wire.PSN(i)}}
		seen := time.Date(2026, 11, 21, 12, 0, 2*at, i*1000_000, time.UTC)
		if !near {
			seen = seen.Add(100 * time.Microsecond)
		}
		if err := w.Write(&timeline.Packet{At: seen, Device: "eth0", Src: p.src, Dst: p.dst,
			Data: append(packet.Append(nil), 0, 0, 0, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "end.pcapng")
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestWireBothEnds(t *testing.T) {
	a, b := oneEnd(t, 0), oneEnd(t, 1)
	want := a + ": 4 RoCE packets\n" + b +
		": 3 RoCE packets\nclocks: the second capture is 2 s ahead of the first\n\n" +
		"10.0.0.1 -> 10.0.0.2: 3 sent, 2 arrived, 1 lost; one-way delay p50 100 µs p90 100 µs p99 100 µs p99.9 100 µs max 100 µs\n" +
		"   lost: packet 3 of " + a + "  RC_SEND_ONLY qp 0x000022 psn 0x000002\n\n" +
		"10.0.0.2 -> 10.0.0.1: 1 sent, 1 arrived, 0 lost; one-way delay p50 100 µs p90 100 µs p99 100 µs p99.9 100 µs max 100 µs\n"
	if status, out, errs := runWire(t, nil, "--both-ends", a, b); status != Done || errs != "" || out != want {
		t.Errorf("exit status %d, %q\n%s\nwant\n%s", status, errs, out, want)
	}
	_, out, _ := runWire(t, nil, "--both-ends", "--print", a, b)
	for _, text := range []string{"   arrived: packet 4 of " + a +
		"  RC_SEND_ONLY qp 0x000022 psn 0x000003  as packet 3 after 100 µs\n",
		"   lost: packet 3 of " + a + "  RC_SEND_ONLY qp 0x000022 psn 0x000002\n"} {
		if !strings.Contains(out, text) {
			t.Errorf("no %s in\n%s", text, out)
		}
	}
	if _, out, _ = runWire(t, nil, "--both-ends", "--print", "--json", a, b); !strings.Contains(out,
		`"delay_s":0.0001,`) || !strings.Contains(out, `"fate":"lost"`) {
		t.Errorf("not each packet in\n%s", out)
	}
	status, out, _ := runWire(t, nil, "--both-ends", "--json", a, b)
	for _, text := range []string{`"psn":2`, `"sender_capture":"` + a, `"offset_s":2`, `"arrived":2`} {
		if status != Done || !strings.Contains(out, text) {
			t.Errorf("exit status %d, no %s in\n%s", status, text, out)
		}
	}
}

// TestWireBothEndsTwice: what a capture has twice, as one of all interfaces has, was not sent twice.
func TestWireBothEndsTwice(t *testing.T) {
	var file bytes.Buffer
	w := capture.NewWriter(&file)
	alice, bob := netip.MustParseAddrPort("10.0.0.1:4791"), netip.MustParseAddrPort("10.0.0.2:4791")
	for i := range 6 {
		packet := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: 0x22, PSN: wire.PSN(i / 2)}}
		seen := time.Date(2026, 11, 21, 12, 0, 0, i*1000, time.UTC)
		if err := w.Write(&timeline.Packet{At: seen, Device: "any", Outgoing: i%2 == 0, Src: alice, Dst: bob,
			Data: append(packet.Append(nil), 0, 0, 0, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "any.pcapng")
	if err := errors.Join(w.Close(), os.WriteFile(name, file.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, out, errs := runWire(t, nil, "--both-ends", name, name); !strings.Contains(out,
		"10.0.0.1 -> 10.0.0.2: 3 sent, 3 arrived, 0 lost\n") {
		t.Errorf("%s%s", errs, out)
	}
}

// trouble is a capture in which a SEND waits for a RECV, and a WRITE is refused.
func trouble(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	w := capture.NewWriter(&file)
	alice, bob := netip.MustParseAddrPort("10.0.0.1:4791"), netip.MustParseAddrPort("10.0.0.2:4791")
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	add := func(src, dst netip.AddrPort, p wire.Packet) {
		at = at.Add(100 * time.Microsecond)
		icrc, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&timeline.Packet{At: at, Device: "so\x1bft", Outgoing: src == alice, Src: src, Dst: dst,
			Data: icrc.Append(0, p.Append(nil))}); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(op wire.Opcode, psn wire.PSN) {
		add(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: 0x22, PSN: psn, AckReq: true},
			RETH: wire.RETH{VA: 0x1000, RKey: 9, DMALen: 5}, Payload: []byte("hello")})
	}
	answer := func(psn wire.PSN, s wire.Syndrome) {
		add(bob, alice, wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, DestQP: 0x11, PSN: psn},
			AETH: wire.AETH{Syndrome: s}})
	}
	ask(wire.RCSendOnly, 1)
	answer(1, wire.RNRNAK(12))
	ask(wire.RCSendOnly, 1)
	answer(1, wire.ACKWithCredits(8))
	ask(wire.RCWriteOnly, 2)
	answer(2, wire.NAK(wire.NAKRemoteAccess))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

const (
	packetLines = `1  0.000000000  10.0.0.1 -> 10.0.0.2  RC_SEND_ONLY qp 0x000022 psn 0x000001 len 5 ack_req
2  0.000100000  10.0.0.2 -> 10.0.0.1  RC_ACKNOWLEDGE qp 0x000011 psn 0x000001 RNR NAK 0.64 ms msn 0  [rnr]
3  0.000200000  10.0.0.1 -> 10.0.0.2  RC_SEND_ONLY qp 0x000022 psn 0x000001 len 5 ack_req  [retry]
4  0.000300000  10.0.0.2 -> 10.0.0.1  RC_ACKNOWLEDGE qp 0x000011 psn 0x000001 ACK credits 8 msn 0
5  0.000400000  10.0.0.1 -> 10.0.0.2  RC_RDMA_WRITE_ONLY qp 0x000022 psn 0x000002 va 0x0000000000001000 rkey 0x00000009 dma_len 5 len 5 ack_req
6  0.000500000  10.0.0.2 -> 10.0.0.1  RC_ACKNOWLEDGE qp 0x000011 psn 0x000002 NAK remote access error msn 0  [nak]
`
	requestLines = `1  10.0.0.1 qp 0x000011 -> 10.0.0.2 qp 0x000022  SEND of 5 bytes in 2 packets, acknowledged after 300 µs, 1 retransmitted after an RNR NAK, 1 RNR NAK
1  10.0.0.1 qp 0x000011 -> 10.0.0.2 qp 0x000022  RDMA WRITE of 5 bytes in 1 packet, refused after 100 µs: remote access error
`
	summaryLines = `FILE: 6 packets captured, 6 of them RoCE

1  RC  10.0.0.1 qp 0x000011 and 10.0.0.2 qp 0x000022, inferred from the PSNs of answers; 6 packets in 500 µs
   10.0.0.1 qp 0x000011: 1 SEND, 5 bytes, 2 packets; 1 acknowledged, latency p50 300 µs p90 300 µs p99 300 µs p99.9 300 µs max 300 µs, after the last packet p50 100 µs p90 100 µs p99 100 µs p99.9 100 µs max 100 µs
   10.0.0.1 qp 0x000011: 1 RDMA WRITE, 5 bytes, 1 packet; 1 refused
   10.0.0.1 qp 0x000011: up to 1 request and 1 PSN unanswered at one time, 8 credits granted
   10.0.0.1 qp 0x000011: 1 packet retransmitted after an RNR NAK, 1 RNR NAK, 1 NAK remote access error
`
)

func lines(text string, which ...int) (out string) {
	all := strings.SplitAfter(text, "\n")
	for _, n := range which {
		out += all[n-1]
	}
	return out
}

func TestWire(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trouble.pcapng")
	if err := os.WriteFile(file, trouble(t), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want string
	}{
		{"", packetLines},
		{"--requests", requestLines},
		{"--summary", summaryLines},
		{"--filter nak", lines(packetLines, 6)},
		{"--filter rnr|or|retry", lines(packetLines, 2, 3)},
		{"--filter qp==0x11|op~write", lines(packetLines, 5)},
		{"--filter op~write --requests", lines(requestLines, 2)},
		{"--filter rnr --requests", lines(requestLines, 1)},
		{"--filter qp==99 --summary", lines(summaryLines, 1)},
	} {
		var args []string
		for _, arg := range strings.Fields(c.args) {
			args = append(args, strings.ReplaceAll(arg, "|", " "))
		}
		status, out, errs := runWire(t, nil, append(args, file)...)
		if want := strings.ReplaceAll(c.want, "FILE", file); status != Done || errs != "" || out != want {
			t.Errorf("%s: exit status %d, %q\n%s\nwant\n%s", c.args, status, errs, out, want)
		}
	}
	if status, out, _ := runWire(t, trouble(t), "-"); status != Done || out != packetLines {
		t.Errorf("from standard input: exit status %d\n%s", status, out)
	}
}

// TestWireJSON: each line is an object, and hostile bytes are escaped.
func TestWireJSON(t *testing.T) {
	for view, want := range map[string][]string{
		"": {`"packet":1`, `"opcode":"RC_SEND_ONLY"`, `"icrc":"right"`, `"marks":["rnr"]`, `"conversation":1`,
			`"rkey":9`, `"nak_code":2`, `"interface":"so\u001bft"`},
		"--requests": {`"operation":"SEND"`, `"latency_s":0.0003`, `"nak":"remote access error"`, `"outcome":"refused"`,
			`"sent_again":{"after_a_NAK":0,"after_a_timeout":0,"after_an_RNR_NAK":1,"soon":0}`},
		"--summary": {`"packets":6`, `"after_an_RNR_NAK":1`, `"latency_p99.9_s":0.0003`, `"ack_latency_p50_s":0.0001`,
			`"window_psns":1`, `"credits_least":8`, `"naks":{"remote access error":1}`, `"joined":"inferred`},
	} {
		args := []string{"--json", "-"}
		if view != "" {
			args = append(args, view)
		}
		status, out, errs := runWire(t, trouble(t), args...)
		if status != Done || errs != "" || strings.ContainsRune(out, 0x1b) {
			t.Errorf("%s: exit status %d, %q", view, status, errs)
		}
		for l := range strings.Lines(out) {
			if !json.Valid([]byte(l)) {
				t.Errorf("%s: not JSON: %s", view, l)
			}
		}
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("%s lacks %s:\n%s", view, text, out)
			}
		}
	}
}

// alone drops from the lines of packets what depends on other packets: numbers, times and
// marks.
func alone(text string) (out string) {
	for l := range strings.Lines(text) {
		l, _, _ = strings.Cut(strings.TrimSpace(l), "  [")
		out += strings.Join(strings.Split(l, "  ")[2:], "  ") + "\n"
	}
	return out
}

// TestWireCount: -n counts the selected packets of all captures, and no capture after the last packet is opened.
func TestWireCount(t *testing.T) {
	one, missing := oneEnd(t, 0), filepath.Join(t.TempDir(), "missing")
	for _, c := range []struct {
		count  int
		names  []string
		want   int
		status int
	}{
		{3, []string{one, one}, 3, Done},
		{4, []string{one, missing}, 4, Done},
		{5, []string{one, one}, 5, Done},
		{5, []string{one, missing}, 4, Failed},
		{9, []string{one, one}, 8, Done},
		{0, []string{one, one, one}, 12, Done},
	} {
		status, out, errs := runWire(t, nil, append([]string{"-n", fmt.Sprint(c.count)}, c.names...)...)
		if got := strings.Count(out, "RC_"); got != c.want || status != c.status {
			t.Errorf("-n %d of %d captures: %d packets, want %d; exit status %d, %s", c.count, len(c.names), got,
				c.want, status, errs)
		}
	}
}

// TestWireWrite: the written file holds the packets that the filter selects.
func TestWireWrite(t *testing.T) {
	for _, c := range []struct{ args, packets, stdout, count string }{
		{"", packetLines, "", "6 packets"},
		{"-n 1", lines(packetLines, 1), "", "1 packet"},
		{"--filter rnr", lines(packetLines, 2), "", "1 packet"},
		{"--filter qp==99", "", "", "0 packets"},
		{"--filter op~write --requests", lines(packetLines, 5), lines(requestLines, 2), "1 packet"},
	} {
		name := filepath.Join(t.TempDir(), "new.pcapng")
		args := append(strings.Fields(c.args), "-")
		status, out, errs := runWire(t, trouble(t), append(args, "-w", name)...)
		if status != Done || out != c.stdout || errs != "rdmatui: "+c.count+" written to "+name+"\n" {
			t.Errorf("%s: exit status %d, %q\n%s", c.args, status, errs, out)
		}
		if status, out, errs = runWire(t, nil, name); status != Done || errs != "" || alone(out) != alone(c.packets) {
			t.Errorf("%s: exit status %d, %q\n%s\nwant\n%s", c.args, status, errs, out, c.packets)
		}
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if c.stdout != "" {
			continue
		}
		if status, out, _ = runWire(t, trouble(t), append(args, "-w", "-")...); status != Done || out != string(whole) {
			t.Errorf("%s: exit status %d, standard output differs from the file", c.args, status)
		}
	}
}

// TestWireWriteFails: a file that exists is kept, one without packets is removed, and the
// packets before damage are kept.
func TestWireWriteFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new.pcapng")
	if status, _, _ := runWire(t, nil, "-w", name, "-"); status != Failed {
		t.Errorf("no input: exit status %d", status)
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file without packets: %v", err)
	}
	whole := trouble(t)
	status, _, errs := runWire(t, whole[:len(whole)-200], "-w", name, "-")
	if status != Failed || !strings.Contains(errs, "written to "+name) ||
		!strings.Contains(errs, "the packets before it were read") {
		t.Errorf("damaged input: exit status %d, %q", status, errs)
	}
	if status, out, _ := runWire(t, nil, name); status != Done || !strings.HasPrefix(packetLines, out) || out == "" {
		t.Errorf("damaged input: exit status %d\n%s", status, out)
	}
	if status, _, errs := runWire(t, whole, "-w", name, "-"); status != Failed ||
		!strings.Contains(errs, "already exists; choose another name") {
		t.Errorf("existing file: exit status %d, %q", status, errs)
	}
}

// TestWireManagement: datagrams to queue pair 1 are named, with all private data in JSON.
func TestWireManagement(t *testing.T) {
	ip := wire.CMIP{Src: netip.MustParseAddrPort("10.0.0.1:40000"), Dst: netip.MustParseAddr("10.0.0.2")}
	req := &wire.CMReq{ServiceID: 0x01061d2f, LocalQPN: 0x11}
	copy(req.PrivateData[:], append(ip.Append(nil), "hi"...))
	cm := wire.NewCM(7, req)
	path := wire.MADHeader{
		BaseVersion: 1, MgmtClass: 3, ClassVersion: 2, Method: 0x81, Status: 3 << 8, TransactionID: 8, Attribute: 0x35,
	}
	var file bytes.Buffer
	w := capture.NewWriter(&file)
	for _, payload := range [][]byte{cm.Append(nil),
		append(path.Append(nil), make([]byte, wire.MADLen-wire.MADHeaderLen)...)} {
		p := wire.Packet{
			BTH: wire.BTH{Opcode: wire.UDSendOnly, DestQP: 1}, DETH: wire.DETH{QKey: wire.QKeyGSI, SrcQP: 1},
			Payload: payload,
		}
		err := w.Write(&timeline.Packet{
			Device: "soft0", Src: netip.MustParseAddrPort("10.0.0.1:4791"),
			Dst: netip.MustParseAddrPort("10.0.0.2:4791"), Data: append(p.Append(nil), 0, 0, 0, 0),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	for args, want := range map[string][2]string{
		"-": {"ip 10.0.0.1:40000 to 10.0.0.2 port 7471 private_data 0x6869  [icrc cm]",
			"MAD SubnAdm GetResp(PathRecord) tid 0x0000000000000008 status no records  [icrc]"},
		"- --json": {`"rdma_cm":{"src":"10.0.0.1","src_port":40000,"dst":"10.0.0.2","dst_port":7471}`,
			`"mad":{"class":"SubnAdm","mgmt_class":3,"class_version":2,"method":"GetResp","method_number":129,"attribute":"PathRecord","attribute_id":53,"modifier":0,"tid":"0x0000000000000008","status":768,"status_name":"no records"}`},
	} {
		status, out, errs := runWire(t, file.Bytes(), strings.Fields(args)...)
		got := strings.SplitAfter(out, "\n")
		if status != Done || errs != "" || len(got) != 3 || !strings.Contains(got[0], want[0]) ||
			!strings.Contains(got[1], want[1]) {
			t.Errorf("%s: exit status %d, %q\n%s\nwant %q", args, status, errs, out, want)
		}
		if args != "-" && !strings.Contains(got[0], fmt.Sprintf(`"private_data":"%x"`, req.PrivateData)) {
			t.Errorf("private data is not whole:\n%s", got[0])
		}
	}
}

// told collects what is printed, and says when there is a line.
type told struct {
	text  bytes.Buffer
	lines chan string
}

func (w *told) Write(b []byte) (int, error) {
	w.text.Write(b)
	for {
		l, err := w.text.ReadString('\n')
		if err != nil {
			w.text.WriteString(l)
			return len(b), nil
		}
		w.lines <- l
	}
}

// TestWireFromPipe: a packet is told when it comes, not when the pipe ends.
func TestWireFromPipe(t *testing.T) {
	file := trouble(t)
	in, pipe := io.Pipe()
	out := &told{lines: make(chan string)}
	ended := make(chan int, 1)
	go func() {
		p := &Program{Stdin: in, Stdout: out, Stderr: io.Discard}
		ended <- p.Run(context.Background(), []string{"wire", "-"})
		close(out.lines)
	}()
	go pipe.Write(file[:len(file)-200]) // the last packet, and how many there were, come later
	if got := <-out.lines; got != lines(packetLines, 1) {
		t.Errorf("told %q", got)
	}
	pipe.CloseWithError(io.ErrUnexpectedEOF)
	for range out.lines {
	}
	if status := <-ended; status != Failed {
		t.Errorf("exit status %d", status)
	}
}

func TestWireMistakes(t *testing.T) {
	whole := trouble(t)
	for _, c := range []struct {
		args   []string
		stdin  []byte
		status int
		want   string
	}{
		{nil, nil, Wrong, "rdmatui: wire needs a capture file, - for standard input, or -i with a network interface"},
		{[]string{"--both-ends", "x"}, nil, Wrong, "--both-ends needs two captures, one from each end, not 1"},
		{[]string{"--both-ends", "--summary", "x", "y"}, nil, Wrong,
			"--both-ends excludes --summary, --requests and --write"},
		{[]string{"-i", "lo", "x"}, nil, Wrong, `-i lo and "x" exclude each other`},
		{[]string{"-i", "no-such-one"}, nil, Failed, "no network interface is named no-such-one; this host has "},
		{[]string{"--summary", "--requests", "x"}, nil, Wrong, "exclude each other"},
		{[]string{"--filter", "nack", "x"}, nil, Wrong,
			`--filter "nack": column 1: unknown name "nack"; did you mean nak?`},
		{[]string{"-w", "-", "--summary", "x"}, nil, Wrong, "-w - leaves no place for --summary or --requests"},
		{[]string{"-w", "/", "x"}, nil, Failed, "/ already exists; choose another name"},
		{[]string{"-w", "/nowhere/x", "x"}, nil, Failed, "open /nowhere/x: no such file or directory"},
		{[]string{"-w", "-", "/nowhere/x.pcap"}, nil, Failed, "open /nowhere/x.pcap: no such file or directory"},
		{[]string{"/nowhere/x.pcap"}, nil, Failed, "open /nowhere/x.pcap: no such file or directory"},
		{[]string{"/"}, nil, Failed, "rdmatui: /: is a directory"},
		{[]string{"-"}, nil, Failed, "standard input: no data"},
		{[]string{"-", "-"}, nil, Wrong, "- is given twice, but standard input can be read only once"},
		{[]string{"-"}, []byte("hello, world"), Failed, "standard input: not a pcap or pcapng file"},
		{[]string{"-"}, whole[:len(whole)-200], Failed, "the input ends too early; the packets before it were read"},
	} {
		status, out, errs := runWire(t, c.stdin, c.args...)
		if status != c.status || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: exit status %d, %q\nwant %q", c.args, status, errs, c.want)
		}
		if strings.Contains(c.want, "packets before") && !strings.HasPrefix(packetLines, out[:100]) {
			t.Errorf("the packets before it are missing:\n%s", out)
		}
	}
}

// TestWireUnusual: a packet of an unknown opcode shows what is known of it; a tag and a code point stand on the line.
func TestWireUnusual(t *testing.T) {
	ip := []byte{0x45, 26 << 2, 0, 28 + 16, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 0, 0x12,
		0xb7, 0, 8 + 16, 0, 0}
	frame := append(append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0, 0x60, 100, 8, 0}, ip...), 0xa7, 0x40,
		0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 7, 0, 0, 0, 0)
	file := []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 1, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, byte(len(frame)), 0, 0, 0, byte(len(frame)), 0, 0, 0}
	file = append(file, frame...)
	status, out, errs := runWire(t, file, "-")
	if want := "1  0.000000000  10.0.0.1 -> 10.0.0.2  unknown(0xa7) qp 0x000022 psn 0x000007  unknown BTH opcode vlan 100 dscp 26  [icrc malformed]\n"; status != Done || out != want {
		t.Errorf("exit status %d, %q\n%s\nwant\n%s", status, errs, out, want)
	}
	_, out, _ = runWire(t, file, "--json", "--filter", "pcp==3 ecn==0 src_mac~00:01 not ecn", "-")
	for _, text := range []string{`"src_mac":"02:00:00:00:00:01"`,
		`"vlan":100,"pcp":3,"dscp":26,"ecn":0,"ttl":64`, `"port":49152`} {
		if !strings.Contains(out, text) {
			t.Errorf("no %s in %s", text, out)
		}
	}
}
