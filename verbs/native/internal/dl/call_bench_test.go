//go:build linux

package dl

import "testing"

// The C functions of these benchmarks do next to nothing, so the call itself is
// measured.

func BenchmarkErrnoFunc(b *testing.B) {
	f := bind[ErrnoFunc](b, libc(b), "abs")
	b.ReportAllocs()
	for b.Loop() {
		if err := f.Call(0, 1, 2); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkErrnoFuncCall3(b *testing.B) {
	for way, l := range waysToCall(b) {
		b.Run(way, func(b *testing.B) {
			f := bind[ErrnoFunc](b, l, "abs")
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Call3(0, 1, 2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCountFuncCall3(b *testing.B) {
	for way, l := range waysToCall(b) {
		b.Run(way, func(b *testing.B) { benchmarkCount(b, bind[CountFunc](b, l, "abs")) })
	}
}

func BenchmarkCountFuncAtOnce(b *testing.B) {
	for way, l := range waysToCall(b) {
		b.Run(way, func(b *testing.B) { benchmarkCount(b, bind[CountFunc](b, l, "abs").AtOnce(NewPace(nil))) })
	}
}

func benchmarkCount(b *testing.B, f CountFunc) {
	b.ReportAllocs()
	for b.Loop() {
		if n, err := f.Call3(16, 1, 2); n != 16 || err != nil {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkStatusFunc shows the cost of reading errno, in the plain way a second call
// on the same thread.
func BenchmarkStatusFunc(b *testing.B) {
	for way, l := range waysToCall(b) {
		b.Run(way, func(b *testing.B) {
			f := bind[StatusFunc](b, l, "abs")
			b.ReportAllocs()
			for b.Loop() {
				if n, err := f.Call(16, 1, 2); n != 16 || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
}
