package devices

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// TestNldevRequest: a request of the kernel's table of RDMA devices is of that table, and carries its attributes.
func TestNldevRequest(t *testing.T) {
	index := nl.NewRtAttr(nldevDevIndex, nl.Uint32Attr(7))
	kind := nl.NewRtAttr(nldevCharDevType, nl.ZeroTerminated("uverbs"))
	for _, tt := range []struct {
		data []*nl.RtAttr
		want []byte
	}{
		{nil, nil},
		{[]*nl.RtAttr{index, kind}, join(attr(nldevDevIndex, u32(7)), attr(nldevCharDevType, []byte("uverbs\x00")))},
	} {
		b := nldevRequest(nl.RDMA_NLDEV_CMD_GET, unix.NLM_F_DUMP, tt.data).Serialize()
		order := binary.NativeEndian
		if n, typ, flags := order.Uint32(b), order.Uint16(b[4:]), order.Uint16(b[6:]); int(n) != len(b) ||
			typ != 5<<10|1 || flags != unix.NLM_F_REQUEST|unix.NLM_F_DUMP { // RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET
			t.Errorf("%d bytes of type %#x with flags %#x", n, typ, flags)
		}
		if got := b[unix.NLMSG_HDRLEN:]; !bytes.Equal(got, tt.want) {
			t.Errorf("% x, want % x", got, tt.want)
		}
	}
}
