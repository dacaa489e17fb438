package explain

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// BenchmarkRead reads 1 MiB of a log in which nothing is known, and one in which each line fails.
func BenchmarkRead(b *testing.B) {
	for name, line := range map[string]string{
		"plain":  "node1:3468:3905 [0] NCCL INFO Channel 00/04 : 0[0] -> 1[1] via P2P/CUMEM/read and more that says nothing\n",
		"failed": "node1:35:97 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<5> with status=12 opcode=0 len=0 vendor err 129 (Recv)\n",
	} {
		text := strings.Repeat(line, (1<<20)/len(line))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Read(text)
			}
		})
	}
}

// BenchmarkLog reads 64 MiB of a log of which one line in twenty fails and one in ten has words of its own, each with
// its own time, host and process.
func BenchmarkLog(b *testing.B) {
	var quiet, failed []string
	content, err := os.ReadFile("testdata/quiet.txt")
	if err != nil {
		b.Fatal(err)
	}
	for l := range strings.Lines(string(content)) {
		if l[0] != '#' {
			quiet = append(quiet, l)
		}
	}
	for _, c := range logCases(b) {
		failed = append(failed, strings.ReplaceAll(c.text, "\n", " ")+"\n")
	}
	var text strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; text.Len() < 64<<20; i++ {
		fmt.Fprintf(&text, "Nov 22 %02d:%02d:%02d.%06d node%d app[%d]: ", i/360000%24, i/6000%60, i/100%60,
			r.IntN(1e6), r.IntN(64), r.IntN(30000))
		switch k := r.IntN(20); {
		case k == 0:
			text.WriteString(failed[r.IntN(len(failed))])
		case k <= 2:
			text.WriteString(newShapes[newShapeKinds[r.IntN(3)]](r) + "\n")
		default:
			text.WriteString(quiet[r.IntN(len(quiet))])
		}
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		Read(text.String())
	}
}
