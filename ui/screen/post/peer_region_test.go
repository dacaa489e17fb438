package post

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
)

// toPeer returns the lines of a queue pair with a remote peer that has announced a region.
func toPeer() []string {
	return append(benchWith()[:6:6], "peer p qp_num=0x77 psn=1 gid=127.0.0.9 addr=0x7f00 rkey=0x1f length=64",
		"connect_qps a p")
}

// The screen starts with a WRITE into the region announced by a remote peer: enter posts it.
func TestWriteToAPeer(t *testing.T) {
	d, sess, s, _ := start(t, theme.New("none", true), toPeer()...)
	d.Shows(120, 40, "remote_addr p.mr.addr", "p.mr has 7 bytes at 0")
	d.Keys("enter")
	sess.WantLines(`write_mem src "written"`,
		"post_send a RDMA_WRITE wr_id=1 sge=src:0:7 remote_addr=p.mr.addr rkey=p.mr.rkey send_flags=SIGNALED")
	s.turnTo("sge", "src:0:65")
	d.Shows(120, 40, "65 bytes at 0 are not inside p.mr, which has 64")
	s.turnTo("opcode", "SEND")
	sess.Do("write_mem src 0x00")
	d.Frame()
	if s.req.op != "SEND" {
		t.Errorf("%s was chosen over SEND", s.req.op)
	}
	var offered []string
	for _, c := range s.complete("rkey", "p.", 2) {
		offered = append(offered, c.Text)
	}
	if !slices.Equal(offered, []string{"p.mr.rkey"}) {
		t.Errorf("%q", offered)
	}
}

// A pasted block fills the fields of its values, and a message says which.
func TestPasteOfABlock(t *testing.T) {
	for _, tt := range []struct {
		keys        []string
		paste, says string
		op, addr    string
	}{
		{nil, "addr 0x7f00 rkey 0x1f length 64", "took remote_addr 0x7f00, rkey 0x1f; not length",
			"RDMA_WRITE", "0x7f00"},
		{[]string{"t", "t", "t", "t"}, "rkey=0x1f,\naddr=0x7f00", "took remote_addr 0x7f00, rkey 0x1f",
			"RDMA_READ", "0x7f00"},
		{nil, "qp_num 0x11 psn 1 gid 10.0.0.2", "nothing taken: Bring-up (2) takes qp_num, psn, gid",
			"SEND", "dst.addr"},
		{nil, "host 10.0.0.2 port 7471", "nothing taken: Connections (5) takes host, port", "SEND", "dst.addr"},
		{nil, "host 10.0.0.2 port 7471 addr 0x7f00 rkey 0x1f", "took remote_addr 0x7f00, rkey 0x1f; not host, port",
			"RDMA_WRITE", "0x7f00"},
		{nil, "addr 0x7f00", "paste not taken: a region needs both addr and rkey; " + keymap.Post.Payload.Keys()[0] +
			" opens the payload", "SEND", "dst.addr"},
		{nil, "\x1b[2J", `paste not taken: "\x1b[2J" is not a field; paste addr, rkey, length, qp_num, psn, lid, gid, host or port; ` + keymap.Post.Payload.Keys()[0] + ` opens the payload`, "SEND", "dst.addr"},
	} {
		d, _, s, _ := start(t, theme.New("none", true))
		d.Keys(tt.keys...)
		d.Send(tea.PasteMsg{Content: tt.paste})
		if len(d.Flashes) != 1 || d.Flashes[0] != tt.says || s.req.op != tt.op ||
			s.req.value("remote_addr") != tt.addr {
			t.Errorf("%q: %q, %s to %s", tt.paste, d.Flashes, s.req.op, s.req.value("remote_addr"))
		}
	}
}
