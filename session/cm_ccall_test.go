package session

import (
	"testing"

	"rdmatui/verbs"
)

// TestConnParamInC: what a call hands over is in its text, and what it leaves to librdmacm is not.
func TestConnParamInC(t *testing.T) {
	for _, tt := range []struct {
		param   verbs.CMConnParam
		request bool
		want    string
	}{
		{verbs.CMConnParam{ResponderResources: 1, InitiatorDepth: 2, RetryCount: 3, RNRRetryCount: 4}, true,
			".responder_resources = 1, .initiator_depth = 2, .flow_control = 0, .retry_count = 3, .rnr_retry_count = 4"},
		{verbs.CMConnParam{ResponderResources: 1, InitiatorDepth: 2, RetryCount: 3, RNRRetryCount: 4}, false,
			".responder_resources = 1, .initiator_depth = 2, .flow_control = 0, .rnr_retry_count = 4"},
		{verbs.CMConnParam{PrivateData: []byte("hi"), FlowControl: true, SRQ: true, QPNum: 0x12}, false,
			`.private_data = "hi", .private_data_len = 2, .responder_resources = 0, .initiator_depth = 0, .flow_control = 1, .rnr_retry_count = 0, .srq = 1, .qp_num = 0x000012`},
	} {
		if got, want := cConnParam(&tt.param, tt.request), "&(struct rdma_conn_param){"+tt.want+"}"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
