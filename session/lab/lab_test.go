package lab_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/lab"
	"rdmatui/session/script"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestLabOnSoft: every experiment ends as specified on the software device, its queue pairs work again,
// and no object is left.
func TestLabOnSoft(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{Live: true})
	sessiontest.RunScript(t, s, sessiontest.Own) // the experiments use the same names
	for _, name := range lab.Names() {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r, err := s.NewLabRun(name, lab.On("soft0"), nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := r.Run(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			if res.Verdict != lab.AsSpecified || res.Back != "recovered" {
				t.Error(res.String())
			}
			if alive := r.Alive(); len(alive) > 0 {
				t.Errorf("objects left: %v", alive)
			}
		})
	}
}

// expecting returns an experiment with changed expectations or script.
func expecting(t *testing.T, name string, change ...string) *lab.Experiment {
	t.Helper()
	exp, err := lab.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	exp, err = exp.With(change...)
	if err != nil {
		t.Fatal(err)
	}
	return exp
}

// TestLabFindsOut: every deviation from the head is reported.
func TestLabFindsOut(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	for _, tt := range []struct {
		name    string
		change  []string
		verdict lab.Verdict
		told    string
	}{
		{"bad-rkey", []string{"requester: REM_ACCESS_ERR", "requester: REM_OP_ERR"}, lab.Unexpected,
			"requester REM_ACCESS_ERR, specified is REM_OP_ERR"},
		{"bad-rkey", []string{"event: QP_ACCESS_ERR b", "event: QP_FATAL b"}, lab.Unexpected,
			"event QP_ACCESS_ERR b, specified is QP_FATAL b"},
		{"bad-rkey", []string{"a=ERR", "a=RTS"}, lab.Unexpected, "state of a ERR, specified is RTS"},
		{"bad-rkey", []string{"rkey=0xbad00", "rkey=dst.rkey"}, lab.Unexpected, "requester SUCCESS"},
		{"bad-rkey", []string{"requester: REM_ACCESS_ERR", "requester: REM_OP_ERR", "differs: rxe",
			"differs: rxe requester=REM_ACCESS_ERR; of another driver\n# differs: rxe"},
			lab.Unexpected, "specified is REM_OP_ERR"},
		{"wrong-order", []string{"refused: EINVAL", "refused: ENOMEM"}, lab.Unexpected, "refused EINVAL"},
		{"wrong-order", []string{"modify_qp a RTS timeout=18 retry_cnt=7 rnr_retry=7 sq_psn=a.psn max_rd_atomic=1",
			"query_qp a"}, lab.Unexpected, "refused none, specified is EINVAL"},
		{"bad-rkey", []string{"{{template \"pair\"}}", "create_qp a pd=nobody"}, lab.NotRun, "nobody"},
		{"bad-rkey", []string{"remote_addr=dst.addr", "remote_addr=dust.addr"}, lab.NotRun, "dust"},
		{"bad-rkey", []string{"{{template \"back\"}}", "#: way back\nexpect state a RTS"}, lab.Unexpected,
			"recovery: bad-rkey:"},
		{"recv-too-small", []string{"requester: REM_INV_REQ_ERR", "requester: REM_OP_ERR or REM_INV_REQ_ERR"},
			lab.AsSpecified, ""},
		{"recv-too-small", []string{"requester: REM_INV_REQ_ERR", "requester: any"}, lab.AsSpecified, ""},
	} {
		r, err := lab.Prepare(s.Core(), expecting(t, tt.name, tt.change...), lab.On("soft0"), nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := r.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.Verdict != tt.verdict || !strings.Contains(res.String(), tt.told) {
			t.Errorf("%s with %q is %s\nwant %s with %q", tt.name, tt.change, res.String(), tt.verdict, tt.told)
		}
	}
}

// TestLabStops: if the session is closed or the wait is stopped, the experiment ends.
func TestLabStops(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	const forEver = "poll_cq cq timeout=1h"
	for _, stop := range []func(cancel context.CancelFunc){
		func(cancel context.CancelFunc) { cancel() },
		func(context.CancelFunc) { go s.Close() },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := lab.Prepare(s.Core(), expecting(t, "wrong-qkey", "poll_cq cq timeout=5s",
			"poll_cq cq timeout=5s\n"+forEver), lab.On("soft0"), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Run(ctx, func(l *script.Line) error {
			if l.Text == forEver {
				stop(cancel)
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) && !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("the run ended with %v", err)
		}
		if alive := r.Alive(); len(alive) > 0 {
			t.Errorf("objects left: %v", alive)
		}
		cancel()
	}
	if _, err := s.NewLabRun("flush", lab.On(""), nil); err == nil {
		t.Error("a closed session starts another experiment")
	}
}

// TestLabStepStops: a line interrupted by closing the session is an error, even though a poll's failure
// is otherwise an observation.
func TestLabStepStops(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	const forEver = "poll_cq cq timeout=1h"
	r, err := lab.Prepare(s.Core(),
		expecting(t, "wrong-qkey", "poll_cq cq timeout=5s", "poll_cq cq timeout=5s\n"+forEver), lab.On("soft0"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for r.Lines()[r.At()].Text != forEver {
		if _, err := r.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	go s.Close()
	if _, err := r.Step(t.Context()); err == nil {
		t.Error("the end of the session counts as an observation")
	}
}

func TestLabCommand(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	for line, want := range map[string]string{
		"lab":                        "bad-rkey",
		"lab no-recv":                "no-recv on soft0: as specified; requester RNR_RETRY_EXC_ERR; state of a ERR; state of b RTS; recovered",
		"lab wrong-qpn device=soft1": "wrong-qpn on soft1: as specified",
	} {
		if done, err := s.Exec(t.Context(), line); err != nil || !strings.Contains(done.Result, want) {
			t.Errorf("%s: %v, %s", line, err, done.Result)
		}
	}
	for _, line := range []string{"lab nothing", "lab flush device=soft7", "lab flush sgid_index=9"} {
		if _, err := s.Exec(t.Context(), line); err == nil {
			t.Error(line)
		}
	}
}

// TestLabDrivers: a known deviation of a driver is accepted only for that driver, in the listed
// kernels.
func TestLabDrivers(t *testing.T) {
	const rxe, mellanox, none, deb12, deb13 = 0xffffff, 0x2c9, "", "6.1.0-56-amd64", "6.12.107+deb13-amd64"
	inErr := func(requester, responder, b string) map[string]string {
		return map[string]string{lab.Requester: requester, lab.Responder: responder, "a": "ERR", "b": b}
	}
	for _, tt := range []struct {
		name     string
		happened map[string]string
		provider string
		vendor   uint32
		release  string
		want     lab.Verdict
	}{
		{"recv-too-small", inErr("REM_OP_ERR", "LOC_QP_OP_ERR", "ERR"), "ibverbs", rxe, deb12, lab.Differs},
		{"recv-too-small", inErr("REM_OP_ERR", "LOC_QP_OP_ERR", "ERR"), "ibverbs", rxe, deb13, lab.Differs},
		{"recv-too-small", inErr("REM_OP_ERR", "LOC_QP_OP_ERR", "ERR"), "ibverbs", rxe, none, lab.Differs},
		{"recv-too-small", inErr("REM_OP_ERR", "LOC_QP_OP_ERR", "ERR"), "soft", rxe, deb12, lab.Unexpected},
		{"recv-too-small", inErr("REM_OP_ERR", "LOC_QP_OP_ERR", "ERR"), "ibverbs", mellanox, deb12, lab.Unexpected},
		{"bad-lkey", inErr("LOC_QP_OP_ERR", "", "RTS"), "ibverbs", rxe, "6.3.13", lab.Differs},
		{"bad-lkey", inErr("LOC_QP_OP_ERR", "", "RTS"), "ibverbs", rxe, "6.4.0", lab.Unexpected},
		{"bad-lkey", inErr("WR_FLUSH_ERR", "", "RTS"), "ibverbs", rxe, "6.3.13", lab.Unexpected},
		{"bad-lkey", inErr("WR_FLUSH_ERR", "", "RTS"), "ibverbs", rxe, "6.4.0", lab.Differs},
		{"bad-lkey", inErr("WR_FLUSH_ERR", "", "RTS"), "ibverbs", rxe, none, lab.Unexpected},
		{"local-pd", inErr("WR_FLUSH_ERR", "", "RTS"), "ibverbs", rxe, deb13, lab.Differs},
		{"local-pd", inErr("LOC_QP_OP_ERR", "", "RTS"), "ibverbs", rxe, deb12, lab.Differs},
		{"sge-too-long", inErr("WR_FLUSH_ERR", "", "RTS"), "ibverbs", rxe, deb13, lab.Differs},
		{"sge-too-long", inErr("WR_FLUSH_ERR", "", "RTS"), "ibverbs", rxe, deb12, lab.Unexpected},
		{"sge-too-long", inErr("LOC_PROT_ERR", "", "RTS"), "ibverbs", rxe, deb12, lab.AsSpecified},
	} {
		exp, err := lab.Find(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		findings, got := exp.Judge(lab.DriverOf(tt.provider, &verbs.DeviceAttr{VendorID: tt.vendor}, tt.release),
			tt.happened)
		told := slices.ContainsFunc(findings, func(f lab.Finding) bool { return f.Reason != "" })
		if got != tt.want || told != (tt.want == lab.Differs) {
			t.Errorf("%+v is %s, with a reason: %v", tt, got, told)
		}
	}
}

// TestLabOverUDP provokes some failures between queue pairs whose packets cross the host's network.
func TestLabOverUDP(t *testing.T) {
	p := soft.New(soft.Options{UDP: &soft.UDPOptions{}})
	if notes := p.Notes(); len(notes) > 0 {
		t.Skipf("UDP port 4791 is not available here: %v", notes)
	}
	s := session.New(session.Options{Providers: []verbs.Provider{p}})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, name := range []string{"bad-rkey", "no-recv", "recv-too-small", "peer-gone", "wrong-psn", "mtu-mismatch",
		"uc-bad-rkey", "wrong-qkey"} {
		if res, err := s.RunLab(t.Context(), name, lab.On("soft0")); err != nil || res.Verdict != lab.AsSpecified {
			t.Error(err, res.String())
		}
	}
}
