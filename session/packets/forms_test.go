package packets_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/netip"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"rdmatui/session"
	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/verbstest/capturetest"
	"rdmatui/verbs/wire"
)

// mixed posts each kind of request between two software devices.
const mixed = `
open_device soft0
alloc_pd pd
reg_mr src length=8192 access=LOCAL_WRITE
create_cq cq cqe=64
create_qp a pd=pd send_cq=cq recv_cq=cq
open_device soft1
alloc_pd pd1 device=soft1
reg_mr dst pd=pd1 length=8192 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC
create_cq cq1 device=soft1 cqe=64
create_qp b pd=pd1 send_cq=cq1 recv_cq=cq1
write_mem src pattern:8192:1
connect_qps a b path_mtu=256 qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC max_rd_atomic=4 max_dest_rd_atomic=4
repeat 6 post_recv b sge=dst:0:2048
post_send a SEND wr_id=1 sge=src:0:5
post_send a SEND_WITH_IMM wr_id=2 sge=src:0:600 imm_data=0x01020304
post_send a RDMA_WRITE wr_id=3 sge=src:0:1500 remote_addr=dst.addr rkey=dst.rkey
post_send a RDMA_READ wr_id=4 sge=src:2048:1100 remote_addr=dst.addr rkey=dst.rkey
post_send a ATOMIC_FETCH_AND_ADD wr_id=5 sge=src:6000:8 remote_addr=dst.addr rkey=dst.rkey compare_add=7
post_send a ATOMIC_CMP_AND_SWP wr_id=6 sge=src:6008:8 remote_addr=dst.addr rkey=dst.rkey compare_add=1 swap=2
post_send a RDMA_WRITE_WITH_IMM wr_id=7 sge=src:0:513 remote_addr=dst.addr rkey=dst.rkey imm_data=0xdeadbeef
post_send a RDMA_READ wr_id=8 sge=src:2048:3 remote_addr=dst.addr rkey=dst.rkey
post_send a SEND wr_id=9 sge=src:0:0
post_send a SEND_WITH_INV wr_id=10 sge=src:0:1024 invalidate_rkey=dst.rkey
poll_cq cq n=10 timeout=20s
`

// softFrames returns what two software devices with addresses send each other for [mixed].
func softFrames(t *testing.T, addrs ...string) (all []capturetest.Packet) {
	t.Helper()
	opts := soft.Options{}
	for _, a := range addrs {
		opts.Addrs = append(opts.Addrs, netip.MustParseAddr(a))
	}
	p, path, done := recordedOn(t, opts)
	s := session.New(core.Options{Providers: []verbs.Provider{p}})
	sessiontest.RunScript(t, s, mixed)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	done()
	at := time.Unix(1_700_000_000, 0)
	for _, f := range framesOf(t, path) { // at the times of a slow network: no pause depends on the machine
		at = at.Add(100 * time.Microsecond)
		all = append(all, capturetest.Packet{At: at, Bytes: f.frame})
	}
	return all
}

// traffic is what the forms are made of: the frames of two hosts.
type traffic struct {
	name   string
	frames []capturetest.Packet
}

// traffics returns one of Linux's Soft-RoCE, and those of the software device over IPv4 and IPv6.
func traffics(t *testing.T) []traffic {
	return []traffic{{"rxe", capturetest.KernelPackets()}, {"soft", softFrames(t)},
		{"soft, IPv6", softFrames(t, "fd00::1", "fd00::2")}}
}

// inside returns frames in an encapsulation, cut to snap bytes of the frame beyond what is added.
func inside(frames []capturetest.Packet, e *capturetest.Encapsulation, snap int) (list []capturetest.Packet) {
	for _, f := range frames {
		list = append(list, capturetest.Packet{At: f.At, Bytes: e.Wrap(f.Bytes), Cut: max(0, len(f.Bytes)-snap)})
	}
	return list
}

// seen is what a capture shows.
type seen struct {
	packets []capture.Frame
	asked   []string // requests, with what became of them
	spans   []string // their PSNs, with what was asked, in order
	bytes   []string // without the number of packets, which an ACK may end
}

// look reads a capture.
func look(t *testing.T, file []byte) (s seen) {
	t.Helper()
	r, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	table := conversation.New()
	table.Told = func(_ *conversation.Conversation, at int, q *conversation.Request) {
		s.spans = append(s.spans, fmt.Sprint(at, q.First, q.Last, q.Asked()))
		s.bytes = append(s.bytes, fmt.Sprint(at, q.First, q.Last, q.Operation, q.Bytes))
		s.asked = append(s.asked, fmt.Sprint(at, q.First, q.Last, q.Asked(), q.Length, q.Outcome, q.Code, q.Again,
			q.RNR))
	}
	var f capture.Frame
	for err = r.Next(&f); err == nil; err = r.Next(&f) {
		table.Add(&f)
		p := f // whose bytes are valid until the next call
		p.Wire.Payload, p.Data = slices.Clone(f.Wire.Payload), slices.Clone(f.Data)
		s.packets = append(s.packets, p)
	}
	if table.End(); err != io.EOF {
		t.Error(err)
	}
	slices.Sort(s.spans)
	slices.Sort(s.bytes)
	return s
}

// compressors are the formats that a capture may be compressed in. bzip2 has no writer in Go.
var compressors = map[string]func(*testing.T, []byte) []byte{
	"gzip": through(func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }),
	"zstd": through(func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }),
	"xz":   through(func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }),
	"bzip2": func(t *testing.T, file []byte) []byte {
		path, err := exec.LookPath("bzip2")
		if err != nil {
			return file
		}
		run := exec.CommandContext(t.Context(), path, "-c")
		run.Stdin = bytes.NewReader(file)
		out, err := run.Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	},
}

func through(open func(io.Writer) (io.WriteCloser, error)) func(*testing.T, []byte) []byte {
	return func(t *testing.T, file []byte) []byte {
		t.Helper()
		var out bytes.Buffer
		w, err := open(&out)
		if err == nil {
			_, err = w.Write(file)
		}
		if err = cmp.Or(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
}

const whole = 1 << 16 // no snap length

// TestForms reads the traffic of two kinds of devices in each encapsulation, on each kind of link, in each format of a
// file and of its compression: the packets are the same, and so are the requests.
func TestForms(t *testing.T) {
	for _, of := range traffics(t) {
		plain := inside(of.frames, &capturetest.Encapsulations[0], whole)
		want := look(t, capturetest.File(1, plain...))
		check := func(name string, file []byte) {
			t.Helper()
			got := look(t, file)
			if !slices.Equal(got.asked, want.asked) || len(got.packets) != len(of.frames) {
				t.Errorf("%s, %s: %d packets of %d, requests\n%q, want\n%q", of.name, name, len(got.packets),
					len(of.frames), got.asked, want.asked)
				return
			}
			for i := range got.packets {
				p, q := &got.packets[i], &want.packets[i]
				if p.Err != nil || p.Cut() || !sameFields(&p.Wire, &q.Wire) ||
					!bytes.Equal(p.Wire.Payload, q.Wire.Payload) {
					t.Errorf("%s, %s, packet %d: %v, %v, want %v", of.name, name, i, p.Err, &p.Wire, &q.Wire)
				}
			}
		}
		for _, e := range slices.Concat(capturetest.Encapsulations, capturetest.Links) {
			check(e.Name, capturetest.File(e.Link, inside(of.frames, &e, whole)...))
		}
		for _, form := range capturetest.Formats() {
			check(form.Name, form.Write(1, plain...))
		}
		for name, compress := range compressors {
			check(name, compress(t, capturetest.File(1, plain...)))
		}
	}
}

// TestKernelRequests: of a capture that lacks what the network lost, the requests are those that the programs posted.
func TestKernelRequests(t *testing.T) {
	r, err := capture.NewReader(bytes.NewReader(capturetest.File(1, capturetest.KernelPackets()...)))
	if err != nil {
		t.Fatal(err)
	}
	table := conversation.New()
	got := map[string][]capturetest.Posted{}
	table.Told = func(c *conversation.Conversation, at int, q *conversation.Request) {
		from := c.Ends[at].Addr.String()
		got[from] = append(got[from], capturetest.Posted{From: from, Operation: conversation.OperationName(q.Operation),
			Bytes: q.Bytes})
	}
	var f capture.Frame
	for r.Next(&f) == nil {
		table.Add(&f)
	}
	table.End()
	if all := slices.Concat(got["10.9.0.1"], got["10.9.0.2"]); !slices.Equal(all, capturetest.KernelRequests) {
		t.Errorf("%v, want %v", all, capturetest.KernelRequests)
	}
	for _, side := range table.List[0].Sides {
		if side.Missing > 0 || side.Late > 0 {
			t.Errorf("%d packets missing, %d overtaken, but all were sent again", side.Missing, side.Late)
		}
	}
}

// sameFields reports whether two packets have the same headers.
func sameFields(p, q *wire.Packet) bool {
	for _, f := range capturetest.HeaderFields {
		a, has := f.Of(p)
		b, had := f.Of(q)
		if f.Name != "infiniband.invariant.crc" && (a != b || has != had) { // the ICRC depends on the link
			return false
		}
	}
	return true
}

// TestFormsTruncated reads the traffic with each snap length from the BTH on, and with some in each encapsulation: the
// requests are those of the whole capture, and of each packet only what the capture holds is known.
func TestFormsTruncated(t *testing.T) {
	const aeth = 4 // bytes
	for _, of := range traffics(t) {
		want := look(t, capturetest.File(1, inside(of.frames, &capturetest.Encapsulations[0], whole)...))
		below := len(of.frames[0].Bytes) - want.packets[0].Len // bytes before a BTH
		for _, e := range slices.Concat(capturetest.Encapsulations, capturetest.Links) {
			snaps := []int{0, 4, wire.BTHLen - 1, wire.BTHLen, wire.BTHLen + 4, wire.BTHLen + 16, wire.BTHLen + 28, 255}
			if e.Name == "plain" {
				for snap := range 300 {
					snaps = append(snaps, snap)
				}
			}
			for _, snap := range snaps {
				got := look(t, capturetest.File(e.Link, inside(of.frames, &e, below+snap)...))
				if snap >= wire.BTHLen && !slices.Equal(got.bytes, want.bytes) ||
					snap >= wire.BTHLen+aeth && !slices.Equal(got.spans, want.spans) {
					t.Errorf("%s, %s, %d bytes: requests\n%q, want\n%q", of.name, e.Name, snap, got.spans, want.spans)
				}
				for i := range got.packets {
					p, q := &got.packets[i], &want.packets[i]
					if name := invented(p, q); name != "" {
						t.Errorf("%s, %s, %d bytes: packet %d, %v: %s is invented or lost; it is %v", of.name,
							e.Name, snap, i, &p.Wire, name, &q.Wire)
					}
				}
			}
		}
	}
}

// invented compares the beginning of a packet with the whole of it. It returns the name of a field that the one has and
// the other has not, or has otherwise; of the beginning those that it cannot have.
func invented(p, q *capture.Frame) string {
	headers := len(q.Data) - len(q.Wire.Payload) - int(q.Wire.BTH.Pad) - wire.ICRCLen
	if len(p.Data) < wire.BTHLen {
		if p.Wire.Headers != 0 || p.Err == nil {
			return "a header"
		}
		return ""
	}
	if len(p.Wire.Payload) != len(q.Wire.Payload) {
		return "the length of the payload"
	}
	if n := len(p.Data) - headers; n > 0 {
		if n = min(n, len(q.Wire.Payload)); !bytes.Equal(p.Wire.Payload[:n], q.Wire.Payload[:n]) {
			return "the payload"
		}
	}
	for _, f := range capturetest.HeaderFields {
		a, has := f.Of(&p.Wire)
		b, had := f.Of(&q.Wire)
		switch {
		case f.Name == "infiniband.invariant.crc":
			if p.Cut() && a != 0 {
				return f.Name
			}
		case has && (!had || a != b), had && !has && len(p.Data) >= headers:
			return f.Name
		}
	}
	return ""
}
