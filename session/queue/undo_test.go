package queue_test

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// undoLines make an object of each kind, and a pair of connected queue pairs.
const undoLines = `open_device soft0
alloc_pd pd
reg_mr src pd=pd length=64 access=LOCAL_WRITE
reg_mr dst pd=pd length=64 access=LOCAL_WRITE|REMOTE_WRITE
create_comp_channel ch device=soft0
create_cq cq device=soft0 channel=ch cqe=16
create_srq srq pd=pd max_wr=8
create_qp a pd=pd send_cq=cq recv_cq=cq max_send_wr=5
create_qp b pd=pd send_cq=cq recv_cq=cq
create_qp s pd=pd send_cq=cq recv_cq=cq srq=srq
alloc_pd other device=soft0
create_cq idle device=soft0 cqe=16
create_ah ah pd=pd dgid=127.0.0.2 sgid_index=1
alloc_mw mw pd=pd
alloc_dm dm device=soft0 length=64
open_device soft1
`

// writes connects the queue pairs and writes from one region to the other.
const writes = `connect_qps a b
write_mem src "written"
post_send a RDMA_WRITE sge=src:0:7 remote_addr=dst.addr rkey=dst.rkey
poll_cq cq n=1 timeout=10s
expect wc status=SUCCESS
expect mem dst "written"
`

// TestUndo destroys an object of each kind and makes it again: it has its name and attributes, the line says what is
// lost, and a WRITE goes through.
func TestUndo(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines string // up to the one that destroys
		want  string // result of undo; PREFIX*: begins with it
		then  string // what holds then
	}{
		{"domain", "dealloc_pd other", "other again", "reg_mr m pd=other length=8 access=0"},
		{"region", "write_mem dst \"kept\" offset=8\ndereg_mr dst", "dst again; *",
			"expect mem dst \"kept\" offset=8"},
		{"changed region", "rereg_mr dst access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ length=128\ndereg_mr dst",
			"dst again; *", ""},
		{"queue", "resize_cq idle cqe=40\ndestroy_cq idle", "idle again",
			"create_qp c pd=pd send_cq=idle recv_cq=idle"},
		{"queue in event mode", "create_cq ev device=soft0 channel=ch cqe=16\n" +
			"cq_mode ev mode=blocking solicited_only=1\ndestroy_cq ev",
			"ev again; lost: its mode (cq_mode ev mode=blocking solicited_only=1)",
			"cq_mode ev mode=blocking solicited_only=1"},
		{"busy queue", "cq_mode idle mode=busy\ndestroy_cq idle",
			"idle again; lost: its mode (cq_mode idle mode=busy)", "cq_mode idle mode=busy"},
		{"armed queue", "create_cq ev device=soft0 channel=ch cqe=16\nreq_notify_cq ev\ndestroy_cq ev",
			"ev again; lost: that it is armed (req_notify_cq ev)", "req_notify_cq ev"},
		{"channel", "destroy_qp a\ndestroy_qp b\ndestroy_qp s\ndestroy_cq cq\ndestroy_comp_channel ch\n" +
			"undo\nundo\nundo\nundo\ncreate_comp_channel x device=soft0\ndestroy_comp_channel x", "x again", "undo"},
		{"shared receive queue", "post_srq_recv srq sge=dst\ndestroy_qp s\ndestroy_srq srq",
			"srq again; lost: 1 posted RECV", "undo"},
		{"queue pair in RESET", "destroy_qp a", "a again; its qp_num is new: *", ""},
		{"connected queue pair", "connect_qps a b\npost_recv a sge=src\ndestroy_qp a\nmodify_qp b RESET",
			"a again; its qp_num is new: *; lost: the connection to b (connect it again), 1 posted RECV", ""},
		{"address handle", "destroy_ah ah", "ah again", ""},
		{"window", "dealloc_mw mw", "mw again; its rkey is new: *; lost: its binding", ""},
		{"device memory", "free_dm dm", "dm again; lost: its bytes",
			"reg_mr z pd=pd length=64 access=ZERO_BASED dm=dm"},
		{"device", "close_device soft1", "soft1 again", "alloc_pd q device=soft1"},
		{"any", "close dst", "dst again; *", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newUndo(t)
			sessiontest.RunLines(t, s, undoLines+tt.lines+"\n")
			before := s.Snapshot()
			if before.Destroyed == "" {
				t.Fatal("the snapshot does not offer it")
			}
			done, err := s.Exec(t.Context(), "undo")
			if err != nil || !like(done.Result, tt.want) {
				t.Errorf("%v: %q, want %q", err, done.Result, tt.want)
			}
			sessiontest.RunLines(t, s, tt.then+"\n"+writes)
		})
	}
}

// TestUndoAll destroys all, and makes all again: the newest first, with their attributes.
func TestUndoAll(t *testing.T) {
	s := newUndo(t)
	sessiontest.RunLines(t, s, undoLines+"rereg_mr dst access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ length=128\n")
	before := s.Snapshot()
	var names []string
	for _, o := range before.Objects {
		names = append(names, o.Name)
	}
	for i := len(names) - 1; i >= 0; i-- {
		sessiontest.Execute(t, s, "close "+names[i])
	}
	for range names {
		sessiontest.Execute(t, s, "undo")
	}
	if _, err := s.Exec(t.Context(), "undo"); err == nil || !strings.Contains(err.Error(), "nothing was destroyed") {
		t.Errorf("after all: %v", err)
	}
	after := s.Snapshot()
	attributes := func(v *session.Snapshot) (all []string) {
		for i := range v.MRs {
			all = append(all, fmt.Sprint(v.MRs[i].Name, v.MRs[i].Length, v.MRs[i].Access, v.MRs[i].PD))
		}
		for i := range v.QPs {
			q := &v.QPs[i]
			all = append(all, fmt.Sprint(q.Name, q.Type, q.Cap, q.SendCQ, q.RecvCQ, q.SRQ, q.PD, q.State))
		}
		for i := range v.CQs {
			all = append(all, fmt.Sprint(v.CQs[i].Name, v.CQs[i].CQE, v.CQs[i].Channel))
		}
		for i := range v.AHs {
			all = append(all, fmt.Sprint(v.AHs[i]))
		}
		return all
	}
	if was, is := attributes(&before), attributes(&after); strings.Join(was, "\n") != strings.Join(is, "\n") {
		t.Errorf("before\n%s\nafter\n%s", strings.Join(was, "\n"), strings.Join(is, "\n"))
	}
	sessiontest.RunLines(t, s, writes)
}

// TestUndoNot: undo says plainly what it cannot take back, and offers nothing whose name is in use or whose domain is
// gone.
func TestUndoNot(t *testing.T) {
	s := newUndo(t)
	sessiontest.RunLines(t, s, undoLines+"peer p qp_num=5 psn=7 gid=127.0.0.9\nclose p\n")
	const want = "peer p is gone for good: what peer made cannot be made again alone"
	if _, err := s.Exec(t.Context(), "undo"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	sessiontest.RunLines(t, s, "dereg_mr dst\nreg_mr dst pd=pd length=8 access=0\n")
	if v := s.Snapshot(); v.Destroyed != "" {
		t.Errorf("%s is offered, whose name is in use", v.Destroyed)
	}
	sessiontest.RunLines(t, s, "reg_mr m pd=other length=8 access=0\ndereg_mr m\ndealloc_pd other\n")
	if v := s.Snapshot(); v.Destroyed != "other" {
		t.Errorf("offers %q, want the domain first", v.Destroyed)
	}
	sessiontest.RunLines(t, s, "undo\n")
	if v := s.Snapshot(); v.Destroyed != "m" {
		t.Errorf("offers %q, want the region", v.Destroyed)
	}
}

// TestUndoCannot: what came from a completion or from the connection manager is not made again.
func TestUndoCannot(t *testing.T) {
	const request = `rdma_getaddrinfo service=7471 flags=PASSIVE
rdma_create_ep listen res
rdma_listen listen
rdma_create_id id mode=event
rdma_resolve_addr id 127.0.0.1 port=7471
expect cm ADDR_RESOLVED id=id
rdma_resolve_route id
expect cm ROUTE_RESOLVED id=id
alloc_pd mine id=id
create_cq mycq id=id cqe=16
rdma_create_qp id qp pd=mine send_cq=mycq recv_cq=mycq
rdma_connect id
rdma_get_request listen name=req timeout=10s
`
	for name, tt := range map[string]struct{ lines, destroyed, want string }{
		"address handle of a completion": {undoLines + `create_cq rcq device=soft0 cqe=16
reg_mr grh pd=pd length=104 access=LOCAL_WRITE
create_qp u pd=pd send_cq=cq recv_cq=cq qp_type=UD
create_qp v pd=pd send_cq=cq recv_cq=rcq qp_type=UD
connect_qps u v qkey=0x11111111
create_ah to pd=pd dgid=v.gid
post_recv v sge=grh:0:104
post_send u SEND sge=src:0:5 ah=to remote_qpn=v.qp_num remote_qkey=0x11111111
poll_cq rcq timeout=5s
create_ah_from_wc back pd=pd cq=rcq mr=grh offset=0
destroy_ah back
`, "back", "ah back is gone for good: what create_ah_from_wc made cannot be made again alone"},
		"queue pair of an identifier": {request + "rdma_destroy_qp qp\n", "qp",
			"qp qp is gone for good: rdma_cm made it"},
		"queue pair of a request": {request + "rdma_destroy_qp req-qp\n", "req-qp",
			"qp req-qp is gone for good: rdma_cm made it"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newUndo(t)
			sessiontest.RunLines(t, s, tt.lines)
			if v := s.Snapshot(); v.Destroyed != tt.destroyed {
				t.Fatalf("offers %q", v.Destroyed)
			}
			if _, err := s.Exec(t.Context(), "undo"); err == nil || err.Error() != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// TestUndoLarge: the bytes of a region that is too large are not kept, and that is told.
func TestUndoLarge(t *testing.T) {
	s := newUndo(t)
	sessiontest.RunLines(t, s, undoLines+fmt.Sprintf("reg_mr big pd=pd length=%d access=0\nclose big\n",
		core.MaxContents+1))
	done, err := s.Exec(t.Context(), "undo")
	if err != nil || !strings.HasSuffix(done.Result, "; lost: its bytes (more than 16 MiB)") {
		t.Errorf("%v: %q", err, done.Result)
	}
	sessiontest.RunLines(t, s, fmt.Sprintf("write_mem src \"kept\"\nclose src\nreg_mr full pd=pd length=%d access=0\n"+
		"close full\nundo\n", core.MaxContents))
	if done, err = s.Exec(t.Context(), "undo"); err != nil || !strings.HasSuffix(done.Result, "; lost: its bytes") {
		t.Errorf("%v: %q", err, done.Result)
	}
}

// like compares a text with a pattern in which * is any text.
func like(text, pattern string) bool {
	parts := strings.Split(pattern, "*")
	for i, p := range parts {
		at := strings.Index(text, p)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		text = text[at+len(p):]
	}
	return text == "" || strings.HasSuffix(pattern, "*")
}

func newUndo(t *testing.T) *session.Session {
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
