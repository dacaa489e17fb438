package program

import "testing"

// BenchmarkFirstScreen measures the time from the start of the process until the
// devices are drawn.
func BenchmarkFirstScreen(b *testing.B) {
	for _, provider := range []string{"auto", "soft"} {
		b.Run(provider, func(b *testing.B) {
			binary(b)
			for b.Loop() {
				tm := open(b, 80, 24, terminalEnv(), "--provider", provider)
				tm.Until("soft0", "GID ")
				b.StopTimer()
				tm.Keys("q")
				tm.Wait()
				b.StartTimer()
			}
		})
	}
}
