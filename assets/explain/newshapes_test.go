package explain

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// newShapes are logs whose lines are never of the same shape.
var newShapes = map[string]func(r *rand.Rand) string{
	"words": func(r *rand.Rand) string {
		var b strings.Builder
		for range 6 + r.IntN(10) {
			b.WriteString(letters(r, 2+r.IntN(9)) + " ")
		}
		return b.String()
	},
	"nccl": func(r *rand.Rand) string {
		id, a, c := letters(r, 6), r.IntN(4096), r.IntN(4096)
		switch r.IntN(3) {
		case 0:
			return fmt.Sprintf("pod-%s:%d:%d [%d] NCCL INFO Channel %02d/%d : %d[%d] -> %d[%d] [send] via NET/IB/%d/GDRDMA",
				id, a, c, a%8, a%32, 32, a, a%8, c, c%8, a%8)
		case 1:
			return fmt.Sprintf("pod-%s:%d:%d [%d] NCCL INFO NET/IB: NCCL Dev %d IbDev %d Port 1 qpn %d mtu 5 GID %d "+
				"rank %d of %d", id, a, c, a%8, a%8, a%8, c, a%4, a, c)
		}
		return fmt.Sprintf("pod-%s:%d:%d [%d] NCCL INFO Trees [%d] %d/%d/%d->%d->%d [1] -1/-1/-1->%d->%d",
			id, a, c, a%8, a%32, a, c, a+c, a, c, a, c)
	},
	"dmesg": func(r *rand.Rand) string {
		id, a, c := letters(r, 5), r.IntN(9000), r.IntN(9000)
		return fmt.Sprintf("[%6d.%06d] ", a, r.IntN(1e6)) + []string{
			fmt.Sprintf("mlx5_core 0000:%02x:00.0 eth%d: Link up, %d Gbps, full duplex", a%256, c, a),
			fmt.Sprintf("docker0: port %d(veth%s) entered forwarding state", a, id),
			fmt.Sprintf("audit: type=1400 audit(%d): apparmor=\"STATUS\" name=\"%s\" pid=%d", a, id, c),
			fmt.Sprintf("nvme nvme%d: creating %d I/O queues for %s.", a, c, id),
			fmt.Sprintf("usb 1-%d: New USB device found, idVendor=%04x, idProduct=%04x, bcdDevice=%d", a, c, a,
				c),
			fmt.Sprintf("systemd[1]: Started session-%d.scope - Session %d of user %s.", a, c, id),
		}[r.IntN(6)]
	},
	"failing": func(r *rand.Rand) string {
		id, a, c := letters(r, 6), r.IntN(4096), r.IntN(4096)
		return []string{
			fmt.Sprintf("%s %s: failed to %s %s, ret %d of %d", id, letters(r, 5), letters(r, 6), letters(r, 7), a, c),
			fmt.Sprintf("ERROR %s: rdma %s %s error at %s %d", id, letters(r, 4), letters(r, 5), letters(r, 3), a),
			fmt.Sprintf("pod-%s [%d] NCCL WARN %s could not %s %s %d", id, a, letters(r, 4), letters(r, 5),
				letters(r, 6), c),
			fmt.Sprintf("%s mlx5_%d: create QP for %s failed: Cannot allocate memory, %d", id, a, letters(r, 5), c),
		}[r.IntN(4)]
	},
}

var newShapeKinds = []string{"words", "nccl", "dmesg", "failing"}

func letters(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

func newShapesOf(kind string, size int) string {
	r := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	for text.Len() < size {
		text.WriteString(newShapes[kind](r) + "\n")
	}
	return text.String()
}

// BenchmarkNewShapes reads logs in which no line has the shape of another.
func BenchmarkNewShapes(b *testing.B) {
	Read("status 12") // reads the tables
	for _, kind := range newShapeKinds {
		text := newShapesOf(kind, 16<<20)
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Read(text)
			}
		})
	}
}
