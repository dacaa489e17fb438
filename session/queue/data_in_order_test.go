package queue_test

import (
	"errors"
	"testing"

	"rdmatui/session"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestQueryQPDataInOrder shows the call, the answer and what it means for a program.
func TestQueryQPDataInOrder(t *testing.T) {
	s := session.New(session.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd\ncreate_cq\ncreate_qp a\ncreate_qp u qp_type=UD")
	const (
		whole   = "in order: the last byte of a message is written last"
		nothing = "0: the order is not guaranteed; wait for the completion"
	)
	for line, want := range map[string][2]string{
		"query_qp_data_in_order a": {"ibv_query_qp_data_in_order(a, IBV_WR_RDMA_WRITE, 0)", "1: " + whole},
		"query_qp_data_in_order a RDMA_READ flags=RETURN_CAPS|DEVICE_ONLY": {"ibv_query_qp_data_in_order(a, " +
			"IBV_WR_RDMA_READ, IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS|IBV_QUERY_QP_DATA_IN_ORDER_DEVICE_ONLY)",
			"WHOLE_MSG|ALIGNED_128_BYTES: " + whole},
		"query_qp_data_in_order u":         {"ibv_query_qp_data_in_order(u, IBV_WR_RDMA_WRITE, 0)", nothing},
		"query_qp_data_in_order a BIND_MW": {"ibv_query_qp_data_in_order(a, IBV_WR_BIND_MW, 0)", nothing},
		"query_qp_data_in_order a SEND flags=0x20000000": {"ibv_query_qp_data_in_order(a, IBV_WR_SEND, 0x20000000)",
			nothing},
	} {
		done, err := s.Exec(t.Context(), line)
		if err != nil || done.Call() != want[0] || done.Result != want[1] || done.Check != "" {
			t.Errorf("%s: %v, %q, %q, %q; want %q", line, err, done.Call(), done.Result, done.Check, want)
		}
	}
}

// TestQueryQPDataInOrderOfFewBytes: a device may guarantee only short blocks, and a provider may lack the call.
func TestQueryQPDataInOrderOfFewBytes(t *testing.T) {
	fake := sessiontest.NewFake()
	s := session.New(session.Options{Providers: []verbs.Provider{fake}})
	defer s.Close()
	sessiontest.RunScript(t, s, "open_device\nalloc_pd\ncreate_cq\ncreate_qp a")
	const line = "query_qp_data_in_order a flags=RETURN_CAPS"
	fake.InOrder = verbs.InOrder128ByteParts
	done, err := s.Exec(t.Context(), line)
	if want := "ALIGNED_128_BYTES: in order within each aligned block of 128 bytes"; err != nil || done.Result != want {
		t.Errorf("%v, %q; want %q", err, done.Result, want)
	}
	fake.Fail["data_in_order"] = &verbs.UnsupportedError{Feature: "ibv_query_qp_data_in_order"}
	if done, err := s.Exec(t.Context(), line); !errors.Is(err, verbs.ErrUnsupported) || done.Result != "" {
		t.Errorf("%v, %q", err, done.Result)
	}
}
