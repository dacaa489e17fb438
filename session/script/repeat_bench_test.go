package script_test

import (
	"fmt"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// BenchmarkRepeatObjects measures one of many objects that repeat makes and closing
// destroys: its cost must not grow with their number.
func BenchmarkRepeatObjects(b *testing.B) {
	for _, line := range []string{"alloc_pd", "reg_mr pd=pd length=64", "create_cq cqe=1"} {
		for _, n := range []int{5_000, 20_000} {
			b.Run(fmt.Sprintf("%s/%d", line, n), func(b *testing.B) {
				for b.Loop() {
					s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.NewFake()}})
					for _, line := range []string{"open_device", "alloc_pd pd", fmt.Sprintf("repeat %d %s", n, line)} {
						if _, err := s.Exec(b.Context(), line); err != nil {
							b.Fatal(err)
						}
					}
					if err := s.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/object")
			})
		}
	}
}
