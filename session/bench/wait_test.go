package bench

import (
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
)

// TestPulse plays looks at a device, one each 10 s, and checks after how many the peer is given up.
func TestPulse(t *testing.T) {
	still := func(int) uint32 { return 7 }
	until := func(n int) func(int) uint32 { return func(look int) uint32 { return uint32(min(look, n)) } }
	for name, tt := range map[string]struct {
		psn, packets func(look int) uint32 // packets nil: the device has no counter
		after        int
		want         string
	}{
		"nothing ever comes":             {still, still, 6, "no packet arrived for 60 s"},
		"it works for an hour":           {until(360), still, 366, "its last message arrived 60 s ago"},
		"other programs receive packets": {until(3), until(1000), 9, "its last message arrived"},
		"only the counter moves":         {still, until(20), 26, "no packet arrived for 60 s"},
		"only others' packets come":      {still, until(10000), 720, "no message arrived within 7200 s"},
		"the device shows nothing":       {still, nil, 720, "no message arrived within 7200 s"},
		"a device without counter":       {until(50), nil, 56, "its last message arrived"},
	} {
		p, now := pulse{silence: time.Minute, expected: 2 * time.Hour}, time.Unix(0, 0)
		for look := 0; ; look++ {
			err := p.beat(now, [lookedAt]verbs.PSN{verbs.PSN(tt.psn(look))}, func() (uint64, bool) {
				if tt.packets == nil {
					return 0, false
				}
				return uint64(tt.packets(look)), true
			})
			if err != nil || look > tt.after {
				if look != tt.after || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: after %d looks %v, want %q after %d", name, look, err, tt.want, tt.after)
				}
				break
			}
			now = now.Add(10 * time.Second)
		}
	}
}
