package session

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// TestExchangeRefused: an end that has no address to tell does not exchange anything, as the server and as the client,
// and enters no peer.
func TestExchangeRefused(t *testing.T) {
	ethernet := verbs.PortAttr{State: verbs.PortActive, ActiveMTU: verbs.MTU1024, LinkLayer: verbs.LinkEthernet}
	for _, tt := range []struct {
		name, args string
		change     func(f *fake)
		want       string
	}{
		{"a row that is not in use", " sgid_index=7", func(*fake) {},
			"row 7 of the GID table of port 1 is not in use"},
		{"no GID", "", func(f *fake) { f.gids = nil }, "GID"},
	} {
		for _, end := range []string{"", " address=127.0.0.1"} {
			s, f := card(t, ethernet)
			tt.change(f)
			runScript(t, s, "open_device\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
			done, err := s.Exec(t.Context(), fmt.Sprintf("exchange p qp=a timeout=1s port=%d%s%s", freePort(t), end,
				tt.args))
			if err == nil || !strings.Contains(done.Err, tt.want) || strings.Contains(done.Err, "peer") {
				t.Errorf("%s%s: %q", tt.name, end, done.Err)
			}
			if snap := s.Snapshot(); len(snap.Peers) != 0 || len(done.Created) != 0 || snap.QPs[0].PeerName != "" {
				t.Errorf("%s%s: %+v, %q", tt.name, end, snap.Peers, done.Created)
			}
		}
	}
}
