package wire

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// TestToldInStyle: the request that a captured packet belongs to is an error only if it was refused. The marks of a
// captured packet are told in words, those of the session's packets by name, as in the list.
func TestToldInStyle(t *testing.T) {
	x := onTrace(t, uitest.Tokens(), newCaptured(t).journey().traceOf())
	x.keys("home")
	for down, want := range []string{
		0: "  ‹Value›acknowledged after 52 µs, 1 retransmitted after a NAK\n",
		3: "  ‹Err›refused after 63 µs: remote access error\n",
		5: "  ‹Warn›retry: retransmitted: its PSN was captured before\n",
	} {
		_, text, _ := strings.Cut(strings.TrimSpace(want), "›")
		if view := widget.Render(x.s.th, x.s.detail, 80, 40); want != "" && uitest.Marked(t, view, text) != want {
			t.Errorf("packet %d: %q, want %q", down, uitest.Marked(t, view, text), want)
		}
		x.keys("down")
	}
	if got := uitest.Text(widget.Render(x.s.th, x.s.detail, 80, 40)); strings.Contains(got, "retry ack_req") {
		t.Errorf("the mark is told twice\n%s", got)
	}
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		x.keys("home", "down", "down", "down", "down", "down")
		if got := uitest.Text(widget.Render(x.s.th, x.s.detail, 80, 40)); !strings.Contains(got,
			"\n  retry ack_req\n") {
			t.Errorf("the mark is not told\n%s", got)
		}
	})
}

// TestFatesInDetail: the detail of a packet says whether and when it arrived at the other end.
func TestFatesInDetail(t *testing.T) {
	run(t, uitest.Tokens(), func(x *bench) {
		x.journey()
		x.seen("soft1", false, addrA, addrB, x.s.live.Packet(0).Data) // once more
		x.refresh()
		const again = "‹Warn›; sent before with this PSN"
		later := "  ‹Value›10 µs‹Label› later, at ‹Value›12.%06d‹Label› s, it arrived at ‹Value›soft1%s\n"
		earlier := "  ‹Value›10 µs‹Label› earlier, at ‹Value›12.%06d‹Label› s, it was sent by ‹Value›soft0%s\n"
		for n, want := range []string{
			fmt.Sprintf(later, 10, ""),
			fmt.Sprintf(earlier, 0, ""),
			"  ‹Err›lost: sent, but never arrived\n",
			7:  fmt.Sprintf(later, 80, again),
			8:  fmt.Sprintf(earlier, 70, again),
			17: "  ‹Warn›duplicate: the responder does not execute it again\n",
		} {
			x.s.detail.show(x.s.live.Packet(uint64(n)))
			view := widget.Render(x.s.th, x.s.detail, 80, 40)
			second := strings.Split(view, "\n")[1]
			if got := uitest.Marked(t, second, " "); want != "" && got != want {
				t.Errorf("packet %d: %q, want %q", n, got, want)
			}
		}
		away := addrA
		p := request(0, 5, 10)
		p.BTH.DestQP = 77
		data := append(p.Append(nil), 1, 2, 3, 4)
		x.seen("soft0", true, addrA, netip.MustParseAddrPort("10.9.0.1:4791"), data)
		x.seen("soft0", false, netip.MustParseAddrPort("10.9.0.1:4791"), away, append(data, 0))
		x.refresh()
		x.keys("end")
		for _, want := range []string{"  ‹Dim›arrived whole\n", "  ‹Dim›sent\n"} {
			second := strings.Split(widget.Render(x.s.th, x.s.detail, 80, 40), "\n")[1]
			if got := uitest.Marked(t, second, " "); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			x.keys("up")
		}
	})
}
