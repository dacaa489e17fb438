package session_test

import (
	"errors"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestScenarioOffersOption: if an option of the scenario fixes a failure, the error names the option instead of the
// line's argument.
func TestScenarioOffersOption(t *testing.T) {
	for name, address := range map[string]string{"mckey": "239.0.0.98", "hello": "10.0.0.98", "ping": "10.0.0.98",
		"udaddy": "10.0.0.98"} {
		for _, cm := range []string{"event", "sync"} {
			s, _, _ := sessiontest.NewManaged(t)
			p := scenario.DefaultParams(name)
			p.Address, p.CM = address, cm
			_, err := sessiontest.RunScenario(t.Context(), s, p, nil)
			if err == nil ||
				!strings.Contains(err.Error(), "without an RDMA device; --bind takes an address of an RDMA device") ||
				strings.Contains(err.Error(), "src=") {
				t.Errorf("%s, %s: %v", name, cm, err)
			}
		}
	}
}

// shortRECV sends a message of 64 bytes to a RECV of 8 bytes.
const shortRECV = `
open_device soft0
alloc_pd pd
alloc_pd other
reg_mr mr pd=pd length=64 access=LOCAL_WRITE
reg_mr ro pd=pd length=64 access=0
reg_mr foreign pd=other length=64 access=LOCAL_WRITE
create_cq cq
create_qp a pd=pd send_cq=cq recv_cq=cq
create_qp b pd=pd send_cq=cq recv_cq=cq max_recv_sge=2
connect_qps a b
post_recv b wr_id=7 sge=mr:0:3,mr:9:5
post_send a SEND wr_id=1 sge=mr:0:64
poll_cq cq n=2 timeout=5s
`

// TestShortRECVIsTold: a message longer than its RECV is reported as such, with the RECV's length, also for the status
// that rxe uses, and the error names a scenario's size option.
func TestShortRECVIsTold(t *testing.T) {
	const tooLong = "the message from a has 64 bytes, but RECV 7 has room for 8"
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, shortRECV)
	done, err := s.Exec(t.Context(), "expect wc wr_id=7 status=SUCCESS")
	var e *core.OptionError
	if err == nil || !strings.Contains(done.Hint, tooLong) || !errors.As(err, &e) || e.Option != "size" {
		t.Errorf("%v; %s", err, done.Hint)
	}
	if done, err = s.Exec(t.Context(), "expect wc wr_id=1 status=SUCCESS"); err == nil || errors.As(err, &e) &&
		strings.Contains(done.Hint, "8 bytes") {
		t.Errorf("the sender: %v; %s", err, done.Hint)
	}
}

// TestRoomOfRECV: a RECV can only use memory that its queue pair may write.
func TestRoomOfRECV(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, shortRECV)
	s.Core().Mu.RLock()
	named := func(name string) core.Body { return s.Core().Graph.ByName[name].Body }
	b, mr, ro, foreign := named("b").(*queue.QP), named("mr").(*region.MR), named("ro").(*region.MR),
		named("foreign").(*region.MR)
	s.Core().Mu.RUnlock()
	piece := func(r *region.MR, offset uint64, length uint32) verbs.SGE {
		return verbs.SGE{Addr: r.MR.Addr() + offset, Length: length, LKey: r.MR.LKey()}
	}
	wrong := piece(mr, 0, 8)
	wrong.LKey ^= 0xbad00
	for _, tt := range []struct {
		name string
		list []verbs.SGE
		want uint64
	}{
		{"one piece", []verbs.SGE{piece(mr, 0, 8)}, 8},
		{"two", []verbs.SGE{piece(mr, 0, 3), piece(mr, 59, 5)}, 8},
		{"none", nil, 0},
		{"beyond the end", []verbs.SGE{piece(mr, 0, 8), piece(mr, 60, 5)}, 0},
		{"a wrong key", []verbs.SGE{wrong}, 0},
		{"read only", []verbs.SGE{piece(mr, 0, 8), piece(ro, 0, 8)}, 0},
		{"another domain", []verbs.SGE{piece(foreign, 0, 8)}, 0},
	} {
		if got := queue.RoomOf(s.Core(), b, tt.list); got != tt.want {
			t.Errorf("%s: %d bytes, want %d", tt.name, got, tt.want)
		}
	}
}
