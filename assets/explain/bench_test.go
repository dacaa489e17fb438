package explain

import (
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
