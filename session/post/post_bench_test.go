package post_test

import (
	"testing"

	"rdmatui/session/sessiontest"
)

// BenchmarkPost carries out the line of a request, from its text to the provider.
func BenchmarkPost(b *testing.B) {
	for _, line := range []string{
		"post_recv b wr_id=7 sge=dst:0:4096",
		"post_send a RDMA_WRITE wr_id=100 send_flags=SIGNALED" + writeByte,
	} {
		b.Run(line[:9], func(b *testing.B) {
			s := sessiontest.NewPair(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Exec(b.Context(), line); err != nil {
					b.StopTimer()
					if _, err := s.Exec(b.Context(), "poll_cq cq n=1000"); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
			}
		})
	}
}
