package cm_test

import (
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

func TestCMConnect(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		a, b := cmConnect(t, p)
		cmTalk(t, a, b)
		ok(t, a.ID.Disconnect())
		b.Event(verbs.CMDisconnected)
		ok(t, b.ID.Disconnect())
		a.Event(verbs.CMDisconnected)
		a.Event(verbs.CMTimewaitExit)
		b.Event(verbs.CMTimewaitExit)
		a.Quiet()
		b.Quiet()
		for _, device := range []string{"soft0", "soft1"} {
			for _, name := range []string{"dropped_mads", "cm_expired", "cm_evicted", "cm_no_room", "cm_unanswered",
				"cm_timewait_cut", "cm_sidr_forgotten"} {
				if n := counterOf(t, p, device, name); n != 0 {
					t.Errorf("%s of %s is %d", name, device, n)
				}
			}
		}
		for from, to := range map[string]string{"soft0": "soft1", "soft1": "soft0"} {
			if sent, got := counterOf(t, p, from, "sent_mads"),
				counterOf(t, p, to, "rcvd_mads"); sent != got || sent < 2 {
				t.Errorf("%s sent %d messages, %s received %d", from, sent, to, got)
			}
		}
	})
}
