package scenario_test

import (
	"errors"
	"strings"
	"testing"

	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestRNICRefuses: what a transport lacks is refused in one line, with an alternative, before any call; other
// operations are not.
func TestRNICRefuses(t *testing.T) {
	const byManager = "fake0 is an RNIC: iWARP connects queue pairs through the connection manager only; use rdma_create_id"
	for line, want := range map[string]string{
		"modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=0": byManager,
		"modify_qp a RTR":                   byManager,
		"modify_qp a RTS sq_psn=0":          byManager,
		"connect_qps a b":                   byManager,
		"exchange p qp=a address=127.0.0.1": byManager,
		"create_ah dgid=::1":                "iWARP has no datagrams",
		"create_qp u qp_type=UD":            "iWARP has no datagrams",
		"create_qp u qp_type=UC":            "iWARP has no unreliable connections",
		"attach_mcast a gid=239.193.65.9":   "iWARP has no datagrams",
		"create_qp u qp_type=RC":            "",
		"modify_qp a RESET":                 "",
		"lab flush":                         byManager,
	} {
		s, f, _ := sessiontest.NewManaged(t)
		f.Node, f.Transport = "RNIC", "iWARP"
		sessiontest.RunLines(t, s, "open_device fake0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a\ncreate_qp b")
		done, err := s.Exec(t.Context(), line)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, verbs.ErrUnsupported) ||
			strings.ContainsRune(done.Err, '\n') {
			t.Errorf("%s: %v", line, err)
		}
		if done.Call() != "" || done.Took != 0 {
			t.Errorf("%s: a call was made: %+v", line, done)
		}
	}
}

// TestRNICManaged: connections made by the manager are not refused, and unsupported operations are warned of.
func TestRNICManaged(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	f.Node, f.Transport = "RNIC", "iWARP"
	sessiontest.RunLines(t, s, strings.ReplaceAll(sessiontest.AConnection, "MODE", "mode=event"))
	for line, want := range map[string]string{
		"post_send qp SEND wr_id=2 sge=mr":                                                        "",
		"post_send qp SEND_WITH_IMM wr_id=2 sge=mr imm_data=5":                                    "iWARP has no immediate data",
		"post_send qp ATOMIC_FETCH_AND_ADD wr_id=2 sge=mr:0:8 remote_addr=8 rkey=1 compare_add=1": "atomic_cap is NONE",
	} {
		done, err := s.Exec(t.Context(), line)
		if err != nil || !strings.Contains(done.Check, want) || want == "" && strings.Contains(done.Check, "iWARP") {
			t.Errorf("%s: %v, %q", line, err, done.Check)
		}
	}
	sessiontest.RunLines(t, s, "rdma_create_id d ps=UDP channel=events\nrdma_resolve_addr d 10.0.0.2 port=9\nrdma_get_cm_event ADDR_RESOLVED id=d")
	for _, line := range []string{"rdma_create_qp d u pd=pd send_cq=scq recv_cq=rcq",
		"rdma_join_multicast d 239.1.2.3"} {
		if _, err := s.Exec(t.Context(), line); err == nil || !strings.Contains(err.Error(), "iWARP has no datagrams") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestPlaces: a scenario is refused on a device that cannot run it; if no device is named, another one is chosen.
func TestPlaces(t *testing.T) {
	roce, iwarp := verbs.DeviceInfo{Name: "rxe0", NodeType: "CA", Transport: "InfiniBand"},
		verbs.DeviceInfo{Name: "siw0", NodeType: "RNIC", Transport: "iWARP"}
	able := map[string]bool{
		"hello": true, "serve": true, "chat": true, "read-write": true, "ping": true, "blast": true,
		"rping": true, "cmatose": true,
	}
	for i := range scenario.All {
		sc := &scenario.All[i]
		if err := sc.Lack(&roce); err != nil {
			t.Errorf("%s on RoCE: %v", sc.Name, err)
		}
		if err := sc.Lack(&iwarp); (err == nil) != able[sc.Name] {
			t.Errorf("%s on iWARP: %v", sc.Name, err)
		}
	}
	s, f, _ := sessiontest.NewManaged(t)
	f.Node = "RNIC"
	p := scenario.DefaultParams("rc-pingpong")
	p.Server = true
	if _, err := s.NewScenarioRun(p); !errors.Is(err, verbs.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := s.NewLabRun("flush", lab.On("fake0"), nil); !errors.Is(err, verbs.ErrUnsupported) {
		t.Error(err)
	}
}
