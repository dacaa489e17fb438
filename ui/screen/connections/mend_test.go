package connections

import (
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/verbs"
)

// both connects two identifiers of the session with each other, as far as the request.
func (x *bench) both() {
	x.serve()
	x.do("rdma_create_id id channel=events ps=TCP", "rdma_resolve_addr id 127.0.0.1 port=7471", "rdma_resolve_route id",
		"alloc_pd pd id=id", "create_cq cq id=id cqe=64", "rdma_create_qp id qp pd=pd send_cq=cq recv_cq=cq",
		"rdma_connect id")
}

func (x *bench) accepted() {
	x.both()
	x.do("rdma_create_qp listen-1 qp2 pd=pd send_cq=cq recv_cq=cq", "rdma_accept listen-1")
}

// A connection that has ended, whatever ended it and whichever end is shown: one press of f makes it anew if both ends
// are here; else f is not offered, and the line says who must do what.
func TestFixEach(t *testing.T) {
	for name, tt := range map[string]struct {
		set  func(*bench)
		show string
		told string // "": nothing is wrong
		can  bool
	}{
		"nothing wrong": {(*bench).accepted, "id", "", false},
		"the client in ERR": {func(x *bench) { x.accepted(); x.do("modify_qp qp ERR") }, "id",
			"f connects both ends anew", true},
		"the server in ERR": {func(x *bench) { x.accepted(); x.do("modify_qp qp2 ERR") }, "listen-1",
			"f connects both ends anew", true},
		"disconnected by the client": {func(x *bench) { x.accepted(); x.do("rdma_disconnect id") }, "id",
			"f connects both ends anew", true},
		"disconnected by the client, at the server": {func(x *bench) { x.accepted(); x.do("rdma_disconnect id") },
			"listen-1", "f connects both ends anew", true},
		"disconnected by the server": {func(x *bench) { x.accepted(); x.do("rdma_disconnect listen-1") }, "id",
			"f connects both ends anew", true},
		"disconnected by the server, at the server": {func(x *bench) { x.accepted(); x.do("rdma_disconnect listen-1") },
			"listen-1", "f connects both ends anew", true},
		"rejected": {func(x *bench) { x.both(); x.do("rdma_reject listen-1") }, "id",
			"f connects both ends anew", true},
		"the server destroyed": {func(x *bench) {
			x.accepted()
			x.do("rdma_destroy_qp qp2", "rdma_destroy_id listen-1")
		}, "id", "f connects both ends anew", true},
		"the server's queue pair destroyed": {func(x *bench) {
			x.accepted()
			x.do("rdma_destroy_qp qp2", "modify_qp qp ERR")
		}, "id", "f connects both ends anew", true},
		"a server elsewhere": {func(x *bench) { x.client(session.IDDisconnected) }, "id",
			"the peer must destroy its end and listen at 127.0.0.1:7472; then J connects anew", false},
		"a server elsewhere that rejects": {func(x *bench) { x.client(session.IDError) }, "id",
			"the peer must destroy its end and listen at 127.0.0.1:7472; then J connects anew", false},
	} {
		run(t, plain, func(x *bench) {
			tt.set(x)
			x.s.selectID(tt.show)
			x.s.env.Hand.Take(x.s.current().QP)
			x.pass()
			x.s.selectID(tt.show)
			m, _ := fixed(x.s)
			if got := m.Advice(); got != tt.told || m.Can() != tt.can {
				t.Errorf("%s: %q, want %q", name, got, tt.told)
				return
			}
			if !tt.can {
				return
			}
			x.Keys("f")
			for range 8 {
				time.Sleep(time.Second)
				x.pass()
			}
			snap := x.sess.Snapshot()
			connected := 0
			for i := range snap.IDs {
				id := &snap.IDs[i]
				if q := snap.QP(id.QP); id.State == session.IDConnected && q != nil && q.State == verbs.QPRTS {
					connected++
				}
			}
			if connected != 2 || len(snap.QPs) > 3 || canFix(x.s) {
				t.Errorf("%s: %d ends are connected after %q", name, connected, x.sess.Lines())
			}
		})
	}
}

// A listener tells what another instance takes to connect to it.
func TestJoinLine(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.serve()
		x.Shows(200, 60, "J elsewhere takes: rdma_cm 127.0.0.1 7471")
	})
}
