package incident_test

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/lab"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// labCauses lists, for each experiment of the error lab, the first explanation of each failed completion and each
// refused call on a software device. Keys, addresses and queue pair numbers are replaced by KEY, ADDR and QPN.
var labCauses = map[string][]string{
	"atomic-misaligned": {"1: remote_addr ADDR of ATOMIC_FETCH_AND_ADD is not a multiple of 8"},
	"bad-lkey":          {"1: lkey 0xbad00 belongs to no region; src's lkey is KEY"},
	"bad-rkey":          {"1: rkey 0xbad00 belongs to no region of b; dst's rkey is KEY"},
	"cq-overrun":        {},
	"dereg-in-flight": {
		"2: lkey KEY belonged to dst, which was deregistered at TIME",
		"1: RECV 2 of b failed: lkey KEY belonged to dst, which was deregistered at TIME",
	},
	"flush": {
		"1: modify_qp a ERR moved a to ERR while the request was queued",
		"2: flushed for the same reason as wr_id 1 of a",
		"11: flushed for the same reason as wr_id 1 of a", "12: flushed for the same reason as wr_id 1 of a",
	},
	"inline-too-large":  {"EINVAL: INLINE: 4,096 bytes, max_inline_data is 64"},
	"local-pd":          {"1: foreign is in protection domain other, but a is in pd"},
	"missing-attribute": {"EINVAL: RC INIT → RTR: missing dest_qp_num"},
	"mtu-mismatch":      {"1: path_mtu is 1024 on a but 256 on b"},
	"no-recv":           {"1: b had no RECV posted: 3 RNR NAKs in SPAN, rnr_retry=2"},
	"no-remote-access":  {"1: RDMA_WRITE needs REMOTE_WRITE, but the access of closed is LOCAL_WRITE|REMOTE_READ"},
	"out-of-bounds":     {"1: 64 bytes at dst+4088 end 56 bytes past the end of dst, which is 4,096 bytes long"},
	"peer-gone":         {"1: b, the peer of a (qp_num QPN), was destroyed before the request was posted"},
	"peer-in-err":       {"1: b is in ERR (modify_qp b ERR) and drops packets"},
	"peer-reset":        {"1: b is in RESET (modify_qp b RESET) and drops packets"},
	"pkey-index":        {"EINVAL: pkey_index 60000 is beyond the port's P_Key table, which has 1 row"},
	"qp-no-access":      {"1: RDMA_WRITE needs REMOTE_WRITE, but qp_access_flags of b are 0"},
	"read-depth-zero":   {"1: max_rd_atomic of a is 0, so it can send no RDMA_READ"},
	"read-only-buffer":  {"1: RDMA_READ needs LOCAL_WRITE, but the access of sealed is 0"},
	"recv-in-reset":     {"EINVAL: b is RESET: a RECV needs INIT or later"},
	"recv-too-small": {
		"2: the message from a has 64 bytes, but RECV 2 has room for 8",
		"1: the message has 64 bytes, but RECV 2 of b has room for 8",
	},
	"remote-pd":     {"1: foreign is in protection domain other, but b is in pd"},
	"rq-full":       {"ENOMEM: no room: 4 of 4 RECVs are posted (max_recv_wr)"},
	"send-in-init":  {"EINVAL: a is INIT: SENDs need RTS"},
	"send-in-reset": {"EINVAL: a is RESET: SENDs need RTS"},
	"sge-too-long":  {"1: 64 bytes at src+4088 end 56 bytes past the end of src, which is 4,096 bytes long"},
	"sq-full":       {"ENOMEM: no room: 4 of 4 requests are outstanding (max_send_wr)"},
	"too-many-sges": {"EINVAL: 64 SGEs: max_send_sge is 1"},
	"uc-bad-rkey":   {},
	"ud-no-recv":    {},
	"wrong-order":   {"EINVAL: RC RESET → RTS is not a valid transition; from RESET: RESET, INIT"},
	"wrong-psn":     {"1: rq_psn of b is 0x000800, but sq_psn of a is 0x001000: b drops the packets"},
	"wrong-qkey":    {},
	"wrong-qpn":     {"1: dest_qp_num of a is 0xfffffe, but b, which is connected to a, has qp_num QPN"},
}

var labNames = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`(lkey|rkey)( is)? 0x[0-9a-f]{7,8}\b`), "$1$2 KEY"},
	{regexp.MustCompile(`(remote_addr|bytes at) 0x[0-9a-f]+`), "$1 ADDR"},
	{regexp.MustCompile(`queue pair 0x[0-9a-f]{6}\b`), "queue pair QPN"},
	{regexp.MustCompile(`qp_num 0x[0-9a-f]{6}\b`), "qp_num QPN"},
	{regexp.MustCompile(`\b\d+\.\d{6} s`), "TIME"},
	{regexp.MustCompile(` in [\d.]+ [µm]?s`), " in SPAN"},
}

// firstLine returns the first explanation of a failure: for a call its check, otherwise its hint.
func firstLine(e *timeline.Event) string {
	text := ""
	if c := e.Command; c != nil {
		text = c.Errno + ": " + cmp.Or(c.Check, c.Hint)
	} else {
		text = fmt.Sprintf("%d: %s", e.WC.WC.WRID, e.WC.Why())
	}
	for _, n := range labNames {
		text = n.form.ReplaceAllString(text, n.name)
	}
	return text
}

// TestLabCauses runs every experiment on a software device: the first explanation of each failure is its true cause.
func TestLabCauses(t *testing.T) {
	for _, name := range lab.Names() {
		want, ok := labCauses[name]
		if !ok {
			t.Errorf("%s: no row", name)
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.SoftInOrder()}})
				defer s.Close()
				res, err := s.RunLab(t.Context(), name, lab.On("soft0"))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for i := range res.Told {
					if e := &res.Told[i]; e.Kind == timeline.KindWC && e.WC.WC.Failed() || e.Command != nil {
						got = append(got, firstLine(e))
					}
				}
				same := len(got) == len(want)
				for i := range min(len(got), len(want)) {
					same = same && strings.HasPrefix(got[i], want[i])
				}
				if !same {
					t.Errorf("%q, want %q", got, want)
				}
			})
		})
	}
}
