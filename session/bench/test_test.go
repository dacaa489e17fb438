package bench

import "testing"

// TestTests checks each test's names, which end posts requests, and of how many ways a sample consists, against
// perftest's programs.
func TestTests(t *testing.T) {
	for _, tt := range []struct {
		test                Test
		name, stock, report string
		oneSided            bool
		ways                int
	}{
		{Test{Send, true}, "send-lat", "ib_send_lat", "Send", false, 2},
		{Test{Send, false}, "send-bw", "ib_send_bw", "Send", false, 2},
		{Test{Write, true}, "write-lat", "ib_write_lat", "RDMA_Write", false, 2},
		{Test{Write, false}, "write-bw", "ib_write_bw", "RDMA_Write", true, 2},
		{Test{Read, true}, "read-lat", "ib_read_lat", "RDMA_Read", true, 1},
		{Test{Read, false}, "read-bw", "ib_read_bw", "RDMA_Read", true, 1},
		{Test{Atomic, true}, "atomic-lat", "ib_atomic_lat", "Atomic", true, 1},
		{Test{Atomic, false}, "atomic-bw", "ib_atomic_bw", "Atomic", true, 1},
	} {
		named, err := Named(tt.name)
		if err != nil || named != tt.test || named.Stock() != tt.stock || named.Verb.Report() != tt.report {
			t.Errorf("%s: %v, %v, %s, %s", tt.name, err, named, named.Stock(), named.Verb.Report())
		}
		if named.OneSided() != tt.oneSided || named.Ways() != tt.ways {
			t.Errorf("%s: one-sided %t, %d ways", tt.name, named.OneSided(), named.Ways())
		}
	}
	for _, name := range []string{"", "send", "send_bw", "ib_send_bw"} {
		if _, err := Named(name); err == nil {
			t.Errorf("%q is a test", name)
		}
	}
}
