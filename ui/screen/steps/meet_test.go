package steps_test

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/uitest"
)

// What is missing is made, the queue pair in hand is taken only in RESET, and an address may have a port.
func TestMeet(t *testing.T) {
	const made = "alloc_pd pd|reg_mr src|reg_mr dst|create_cq cq|create_qp a"
	fresh := strings.Split("open_device soft0|"+made, "|")
	for _, tt := range []struct {
		name            string
		before          []string
		inHand, address string
		want            string // the lines' first two words, the last two lines whole
		why             string
	}{
		{"nothing yet, as the server", nil, "", "", "open_device soft0|" + made +
			"|exchange peer qp=a timeout=10m|connect_qps a peer", ""},
		{"a queue pair in RESET", fresh, "a", "192.0.2.1",
			"exchange peer qp=a address=192.0.2.1|connect_qps a peer", ""},
		{"one that is connected", append(slices.Clone(uitest.BenchLines), "connect_qps a b"), "a", "192.0.2.1 7000",
			"create_qp c|exchange peer qp=c address=192.0.2.1 port=7000|connect_qps c peer", ""},
		{"IPv4 with port", fresh, "a", "192.0.2.1:7000",
			"exchange peer qp=a address=192.0.2.1 port=7000|connect_qps a peer", ""},
		{"IPv6", fresh, "a", "2001:db8::1", "exchange peer qp=a address=2001:db8::1|connect_qps a peer", ""},
		{"IPv6 with port", fresh, "a", "[2001:db8::1]:7000",
			"exchange peer qp=a address=2001:db8::1 port=7000|connect_qps a peer", ""},
		{"hostile", fresh, "a", `x" regions=0`,
			`exchange peer qp=a address="x\"" port=regions=0|connect_qps a peer`, ""},
	} {
		sess := uitest.NewSession(t, session.Options{})
		for _, l := range tt.before {
			if words := strings.Fields(l); words[0] == "reg_mr" && len(words) == 2 {
				l += " pd=pd length=4096 access=LOCAL_WRITE"
			} else if len(words) == 2 && words[0] == "create_qp" {
				l += " pd=pd send_cq=cq recv_cq=cq qp_type=RC"
			} else if len(words) == 2 && words[0] == "create_cq" {
				l += " cqe=64"
			}
			sess.Do(l)
		}
		snap := sess.Snapshot()
		lines, why := steps.Meet(&snap, tt.inHand, "soft0", tt.address)
		for i, l := range lines {
			if i < len(lines)-2 {
				lines[i] = strings.Join(strings.Fields(l)[:2], " ")
			}
		}
		if got := strings.Join(lines, "|"); got != tt.want || why != tt.why {
			t.Errorf("%s: %s %q, want %s", tt.name, got, why, tt.want)
		}
	}
	empty := session.Snapshot{}
	if lines, why := steps.Meet(&empty, "", "", ""); lines != nil || why == "" {
		t.Errorf("without a device: %q, %q", lines, why)
	}
}
