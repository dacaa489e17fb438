package post

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// journey is the screen over a session with the software device.
type journey struct {
	*uitest.ScreenDriver
	t    *testing.T
	sess *uitest.Session
	scr  *Screen
}

// newJourney makes a session from lines.
func newJourney(t *testing.T, lines ...string) *journey {
	t.Helper()
	j := &journey{t: t, sess: uitest.NewSession(t, session.Options{Live: true}, lines...)}
	env := j.sess.Env(theme.New("none", true))
	j.scr = New(env)
	now := time.Unix(1000, 0)
	j.scr.now = func() time.Time { now = now.Add(period); return now }
	j.ScreenDriver = uitest.NewScreen(t, env, j.scr)
	return j
}

// pairLines make two queue pairs of a type, with everything that their requests need.
func pairLines(typ string) []string {
	return []string{
		"open_device soft0", "alloc_pd pd",
		"reg_mr src length=4096 access=LOCAL_WRITE",
		"reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND",
		"alloc_mw w type=TYPE_2", "create_cq cq cqe=64",
		"create_qp a send_cq=cq recv_cq=cq qp_type=" + typ +
			" max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
		"create_qp b send_cq=cq recv_cq=cq qp_type=" + typ +
			" max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
		"connect_qps a b qp_access_flags=REMOTE_WRITE|REMOTE_READ" +
			map[bool]string{true: "|REMOTE_ATOMIC"}[typ == "RC"],
	}
}

func (j *journey) until(texts ...string) {
	j.t.Helper()
	j.Await(240, 60, texts...)
}

// turn selects an opcode by its key.
func (j *journey) turn(op string) {
	j.t.Helper()
	for range opcodes {
		if j.scr.req.op == op {
			return
		}
		j.Keys("t")
	}
	if j.scr.req.op != op {
		j.t.Fatalf("%s is not offered: %s", op, j.View(120, 40))
	}
}

// other selects a queue by its key.
func (j *journey) other(name string) {
	j.t.Helper()
	for range 4 {
		if j.scr.req.qp == name {
			return
		}
		j.Keys("o")
	}
	j.t.Fatalf("there is no queue %s to post to", name)
}

// fill types a value into a field.
func (j *journey) fill(name, value string) {
	j.t.Helper()
	if !j.scr.req.all {
		j.Keys(".")
	}
	j.Keys("home")
	for range 20 {
		if j.scr.form.Name() == name {
			break
		}
		j.Keys("down")
	}
	if j.scr.form.Name() != name {
		j.t.Fatalf("there is no field %s", name)
	}
	j.Keys("e", "ctrl+u")
	j.Type(value)
	j.Keys("enter", "home")
}

// post posts the form and waits for its completion.
func (j *journey) post(want string) {
	j.t.Helper()
	id := j.scr.req.value("wr_id")
	j.Keys("enter")
	j.until("wr_id " + id + " " + want)
}

// holds checks bytes in a region.
func (j *journey) holds(region string, off int, want string) {
	j.t.Helper()
	got := make([]byte, len(want))
	if _, err := j.sess.ReadMem(region, int64(off), got); err != nil || string(got) != want {
		j.t.Errorf("%s has %q at %d, not %q (%v)", region, got, off, want, err)
	}
}

// Every operation of an RC queue pair by keys alone, with its bytes.
func TestEveryOpcodeOnSoft(t *testing.T) {
	j := newJourney(t, pairLines("RC")...)
	j.Keys("R")
	j.until("b has 1 RECV posted", "room for 4,096 bytes")
	j.post("SEND SUCCESS")
	j.holds("dst", 0, "hello\x00")
	j.until("hello...........│", "b has no RECV posted")

	j.turn("SEND_WITH_IMM")
	j.Keys("R")
	j.post("SEND SUCCESS")
	j.holds("dst", 0, "hello again")

	j.turn("RDMA_WRITE")
	j.fill("remote_addr", "dst.addr+64")
	j.post("RDMA_WRITE SUCCESS")
	j.holds("dst", 64, "written\x00")

	j.turn("RDMA_WRITE_WITH_IMM")
	j.Keys("R")
	j.post("RDMA_WRITE SUCCESS")
	j.holds("dst", 0, "written with imm")

	j.turn("RDMA_READ")
	j.post("RDMA_READ SUCCESS")
	j.holds("src", 32, "written with imm")

	j.sess.Do(`write_mem dst 0x0000000000000000`)
	j.turn("ATOMIC_CMP_AND_SWP")
	j.post("COMP_SWAP SUCCESS")
	j.holds("dst", 0, "\x01\x00\x00\x00\x00\x00\x00\x00")
	j.holds("src", 32, "\x00\x00\x00\x00\x00\x00\x00\x00")
	j.turn("ATOMIC_FETCH_AND_ADD")
	j.post("FETCH_ADD SUCCESS")
	j.holds("dst", 0, "\x02\x00\x00\x00\x00\x00\x00\x00")
	j.holds("src", 32, "\x01\x00\x00\x00\x00\x00\x00\x00")

	j.other("b") // shows its region by a window
	j.turn("BIND_MW")
	j.until("w and b are in pd", "dst has MW_BIND")
	j.post("BIND_MW SUCCESS")
	j.other("a")
	j.turn("RDMA_WRITE")
	j.fill("payload", "through a window")
	j.fill("remote_addr", "w.addr+128")
	j.fill("rkey", "w.rkey")
	j.until("w grants REMOTE_WRITE", "w has 16 bytes at ")
	j.post("RDMA_WRITE SUCCESS")
	j.holds("dst", 128, "through a window")

	j.turn("SEND_WITH_INV") // it invalidates the window's key
	j.until("w is bound on b")
	j.Keys("R")
	j.post("SEND SUCCESS")
	j.holds("dst", 0, "hello and forget")
	j.until("only a window of TYPE_2 can be invalidated")

	j.other("b")
	j.turn("BIND_MW")
	j.post("BIND_MW SUCCESS")
	j.turn("LOCAL_INV")
	j.until("w is bound")
	j.post("LOCAL_INV SUCCESS")
	j.other("a")
	j.turn("RDMA_WRITE")
	j.until("w is not bound")
	j.post("REM_ACCESS_ERR") // its key is invalid
	j.holds("dst", 128, "through a window")
}

// A UC queue pair has no READs and no atomics; every offered operation works.
func TestUCOnSoft(t *testing.T) {
	j := newJourney(t, pairLines("UC")...)
	for _, op := range []string{"SEND", "SEND_WITH_IMM", "RDMA_WRITE_WITH_IMM"} {
		j.turn(op)
		j.Keys("R")
		j.until("b has 1 RECV posted")
		j.post(map[bool]string{true: "RDMA_WRITE SUCCESS", false: "SEND SUCCESS"}[op == "RDMA_WRITE_WITH_IMM"])
		j.until("b has no RECV posted")
		j.holds("dst", 0, payloads[op])
	}
	j.turn("RDMA_WRITE")
	j.fill("remote_addr", "dst.addr+64")
	j.post("RDMA_WRITE SUCCESS")
	j.until("written.........│")
	j.holds("dst", 64, "written")
	j.Flashes = nil
	j.fill("opcode", "RDMA_READ")
	if len(j.Flashes) != 1 || j.Flashes[0] != "RDMA_READ is not for UC queue pairs" {
		t.Errorf("%q", j.Flashes)
	}
	for _, o := range j.scr.req.offered() {
		if o.Value == "RDMA_READ" || strings.HasPrefix(o.Value, "ATOMIC") || o.Value == "SEND_WITH_INV" {
			t.Errorf("%s is offered", o.Value)
		}
	}
}

// A UD queue pair sends datagrams; the GRH precedes the data.
func TestUDOnSoft(t *testing.T) {
	lines := pairLines("UD")
	lines = append(lines[:len(lines)-1],
		"modify_qp a INIT pkey_index=0 port_num=1 qkey=0x11", "modify_qp b INIT pkey_index=0 port_num=1 qkey=0x22",
		"modify_qp a RTR", "modify_qp b RTR", "modify_qp a RTS sq_psn=0", "modify_qp b RTS sq_psn=0",
		"create_ah ah dgid=b.gid")
	j := newJourney(t, lines...)
	j.until("ah addresses the peer", "remote_qkey is the qkey of b")
	for _, op := range []string{"SEND", "SEND_WITH_IMM"} {
		j.turn(op)
		j.Keys("R")
		j.until("b has 1 RECV posted")
		j.post("SEND SUCCESS")
		j.until("b has no RECV posted")
		j.holds("dst", verbs.GRHLen, payloads[op])
	}
	if n := len(j.scr.req.offered()); n != 3 {
		t.Errorf("%d operations are offered, want SEND, SEND_WITH_IMM and RECV", n)
	}
	j.fill("remote_qkey", "0x33")
	j.until("the qkey of b is 0x22, so it drops the datagram")
	j.fill("payload", "pattern:5000")
	j.until("5000 bytes: a datagram is one packet, and the port's MTU is ")
}

// Requests are posted to a shared receive queue by its name.
func TestSRQOnSoft(t *testing.T) {
	lines := pairLines("RC")
	for i, l := range lines {
		if strings.HasPrefix(l, "create_qp b") {
			lines[i] = strings.Replace(l, "max_recv_wr=16", "srq=srq", 1)
			lines[i-1] += "\x00create_srq srq max_wr=4 max_sge=2"
		}
	}
	var all []string
	for _, l := range lines {
		all = append(all, strings.Split(l, "\x00")...)
	}
	j := newJourney(t, all...)
	j.other("srq")
	j.until("shared receive queue", "0 of 4 RECVs are posted to srq")
	j.Flashes = nil
	j.Keys("t")
	if j.scr.req.op != recv || len(j.Flashes) != 1 {
		t.Errorf("%s, %q", j.scr.req.op, j.Flashes)
	}
	j.Keys("enter")
	j.until("1 of 4 RECVs is posted to srq")
	j.other("a")
	j.turn("SEND")
	j.until("the next RECV of b has room for 4,096 bytes")
	j.post("SEND SUCCESS")
	j.holds("dst", 0, "hello")
}

// Scatter and gather over several pieces, edited as rows.
func TestPiecesOnSoft(t *testing.T) {
	j := newJourney(t, pairLines("RC")...)
	j.sess.Do(`write_mem src "abcdefgh" offset=100`)
	j.other("b")
	j.turn(recv)
	j.fill("sge", "dst:0:4")
	j.Keys("+")
	j.fill("sge 2", "dst:32:64")
	j.Keys("enter")
	j.until("1 of 16 RECVs is posted")
	j.other("a")
	j.turn("SEND")
	j.Keys("+", "+", "+")
	j.fill("sge 2", "src:104:4")
	j.fill("sge 3", "src:9:9") // to be removed again
	j.fill("sge 4", "src:100:2")
	j.Keys("down", "down", "down", "down", "down")
	if at := j.scr.form.Name(); at != "sge 3" {
		t.Fatalf("the cursor is on %s", at)
	}
	j.Keys("-")
	j.until("3 SGEs of 4", "¹src:0:5", "²src:104:4", "³src:100:2")
	j.post("SEND SUCCESS")
	j.holds("dst", 0, "hell")
	j.holds("dst", 32, "oefghab\x00")
}

// Requests are collected and posted in one call; if one is refused its place is
// shown, and nothing is lost.
func TestChainOnSoft(t *testing.T) {
	j := newJourney(t, pairLines("RC")...)
	j.Keys("R", "R")
	j.until("b has 2 RECV posted")
	j.Keys("a")
	j.until("1 collected: s posts them")
	j.fill("payload", "world")
	j.until("src:5:5", "1 in the chain")
	j.Keys("a", "s")
	j.until("wr_id 4 SEND SUCCESS", "2 posted in one call", "b has no RECV posted")
	j.holds("src", 0, "helloworld")
	j.holds("dst", 0, "world")
	if len(j.scr.req.chain) != 0 {
		t.Error("the chain is still there")
	}

	j.turn("RDMA_WRITE")
	j.Keys("a")
	j.Keys("+", "+", "+", "+")
	j.Keys("a", "a", "s")
	j.until("bad_wr is 2 of 3", "✗   2 RDMA_WRITE", "✓   1 RDMA_WRITE")
	j.until("written.........│")
	if len(j.scr.req.chain) != 3 {
		t.Error("the chain is lost")
	}
	j.Keys("C")
	if v := j.View(120, 40); strings.Contains(v, "bad_wr is 2") && strings.Contains(v, "C clears") {
		t.Errorf("the chain is still shown:\n%s", v)
	}
	if j.Keys("u"); len(j.scr.req.chain) != 3 {
		t.Errorf("u brings back %d requests", len(j.scr.req.chain))
	}
}

// Many requests are posted with few under way, and wr_id keeps increasing.
func TestRepetitionOnSoft(t *testing.T) {
	j := newJourney(t, pairLines("RC")...)
	j.turn("RDMA_WRITE")
	j.fill("count", "300")
	j.fill("outstanding", "8")
	j.fill("signal_every", "4")
	j.fill("wr_id", "1000")
	j.Keys("enter")
	j.until("300 posted, 75 of them SIGNALED, 300 done in", " 1300 ")
	j.holds("dst", 0, "written")
	if v := j.sess.Snapshot(); v.CQs[0].Completed != 75 || v.QPs[0].SendOutstanding != 0 {
		t.Errorf("%d completed, %d outstanding", v.CQs[0].Completed, v.QPs[0].SendOutstanding)
	}
}

// Payloads from files, and from paths that are not files.
func TestPayloadFileOnSoft(t *testing.T) {
	j := newJourney(t, pairLines("RC")...)
	dir := t.TempDir()
	path := filepath.Join(dir, "a file")
	want := bytes.Repeat([]byte("0123\x1b[2J\x00"), 9)
	if err := os.WriteFile(path, want, 0o600); err != nil {
		t.Fatal(err)
	}
	j.turn("RDMA_WRITE")
	j.fill("payload", "file:"+path)
	j.until("has 81 bytes", "src:0:81")
	j.post("RDMA_WRITE SUCCESS")
	j.holds("dst", 0, string(want))

	j.fill("payload", "file:"+filepath.Join(dir, "none"))
	j.until("no such file")
	j.Keys("enter")
	j.until("no such file or directory")
	j.fill("payload", "file:"+dir)
	j.until("is a directory")
	if got := j.scr.req.value("payload"); got != "file:"+dir {
		t.Errorf("the payload is now %q", got)
	}
}
