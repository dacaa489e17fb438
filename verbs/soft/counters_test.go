package soft

import (
	"errors"
	"regexp"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// TestCountersByName counts what a SEND, a WRITE and a refused WRITE do to both sides, also after the devices are
// closed.
func TestCountersByName(t *testing.T) {
	p := New(Options{})
	t.Run("traffic", func(t *testing.T) {
		a, b := connect(t, p, "soft0", "soft1", pairOptions{Timeout: patient})
		src, dst := a.NewMR(4096, everything), b.NewMR(4096, everything)
		b.Recv(verbs.RecvWR{SGList: sge(dst, 0, 4096)})
		a.Send(verbs.SendWR{Opcode: verbs.WRSend, SGList: sge(src, 0, 3000), SendFlags: verbs.SendSignaled})
		a.Want(0, verbs.WCSuccess)
		b.Want(0, verbs.WCSuccess)
		a.Send(verbs.SendWR{Opcode: verbs.WRRDMAWrite, SGList: sge(src, 0, 1), RemoteAddr: dst.Addr(),
			RKey: dst.RKey() + 1, SendFlags: verbs.SendSignaled})
		a.Want(0, verbs.WCRemAccessErr)
	})
	tests := []struct {
		device, name string
		want         uint64
	}{
		{"soft0", "sent_pkts", 4}, {"soft1", "rcvd_pkts", 4}, {"soft1", "sent_pkts", 2}, {"soft0", "rcvd_pkts", 2},
		{"soft0", "rdma_sends", 1}, {"soft1", "rdma_sends", 0}, {"soft0", "rdma_recvs", 0}, {"soft1", "rdma_recvs", 1},
		{"soft1", "access_err", 1}, {"soft0", "access_err", 0}, {"soft0", "retransmits", 0},
		{"soft0", "retry_exceeded_err", 0},
	}
	for _, tt := range tests {
		if got := counterOf(t, p, tt.device, tt.name); got != tt.want {
			t.Errorf("%s %s is %d, want %d", tt.device, tt.name, got, tt.want)
		}
	}
	if _, err := p.HWCounters("soft9"); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("%v", err)
	}
}

// TestCounterTable looks for duplicate and empty rows.
func TestCounterTable(t *testing.T) {
	all, err := New(Options{}).HWCounters("soft0")
	ok(t, err)
	seen, name := map[string]bool{}, regexp.MustCompile(`^[a-z][a-z0-9_]{3,}$`)
	for _, c := range all {
		if seen[c.Name] || !name.MatchString(c.Name) || c.Help == "" || c.Value != 0 {
			t.Errorf("%+v", c)
		}
		seen[c.Name] = true
	}
}
