package incident_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestIncidentHostCounters: for a NIC, whose counters are files, an incident lists those that changed since a reading
// before the post. No command waits for such a reading, and a failure only briefly.
func TestIncidentHostCounters(t *testing.T) {
	const before = "fake0 · packet_seq_err +7, port_xmit_packets +2,001; since 5.000000 s, 300 ms before the post\npacket_seq_err · sequence NAKs received: packets were lost on the path\nport_xmit_packets · packets sent\n"
	for _, tt := range []struct {
		name   string
		stands bool // the reading after the failure never returns
		want   string
	}{{"read", false, before}, {"slow", true, ""}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var errors, sent, reads atomic.Uint64
				var stands atomic.Bool
				end := make(chan struct{})
				s, f := sessiontest.NewFaked(t, core.Options{Counters: func(device string) []verbs.HWCounter {
					reads.Add(1)
					if stands.Load() {
						<-end
					}
					time.Sleep(8 * time.Millisecond)
					return []verbs.HWCounter{{Name: "packet_seq_err", Value: errors.Load()}, {Name: "out_of_sequence"},
						{Name: "port_xmit_packets", Value: sent.Load()}}
				}})
				defer close(end)
				sessiontest.RunScript(t, s,
					"open_device\nalloc_pd\nreg_mr length=64\ncreate_cq\ncreate_qp\nconnect_qps qp qp")
				now := time.Since(s.Core().Start)
				if synctest.Wait(); now != 0 || reads.Load() != 1 {
					t.Errorf("%d readings delayed the commands by %v", reads.Load(), now)
				}
				time.Sleep(4992 * time.Millisecond)
				sent.Store(1000)
				sessiontest.RunScript(t, s, "query_qp qp") // so that later changes are reported
				time.Sleep(308 * time.Millisecond)
				sessiontest.RunScript(t, s, "post_send qp SEND wr_id=1 sge=mr:0:8")
				errors.Store(7)
				sent.Store(3001)
				stands.Store(tt.stands)
				time.Sleep(2 * time.Second)
				left := 1
				next := func(wcs []verbs.WC) int {
					if left == 0 {
						return 0
					}
					left--
					wcs[0] = verbs.WC{WRID: 1, Status: verbs.WCRetryExcErr, QPNum: f.Qps[0].Number}
					return 1
				}
				f.Cqs[0].Next.Store(&next)
				began := time.Now()
				sessiontest.RunScript(t, s, "poll_cq cq")
				if waited := time.Since(began); waited > 50*time.Millisecond {
					t.Errorf("the completion was delayed by %v", waited)
				}
				in := firstIncident(t, s)
				if got := partOf(&in, "Counters that changed"); got != tt.want {
					t.Errorf("%q, want %q", got, tt.want)
				}
			})
		})
	}
}
