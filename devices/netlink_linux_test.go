package devices

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"rdmatui/verbs/verbstest"
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

// TestNoDescriptor: where no socket can be opened, each question to the kernel has an error for an answer, also one
// that fails after its handle was opened. Later, with a descriptor, the same host answers.
func TestNoDescriptor(t *testing.T) {
	h, opened := &host{}, &host{}
	defer h.Close()
	defer opened.Close()
	var err error
	if opened.rdma, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil { // a family that also exists without RDMA
		t.Fatal(err)
	}
	files := verbstest.LimitDescriptors(t)
	driver := func() (bool, error) { module, err := h.DriverModule("rxe0"); return module != "", err }
	totals := func(h *host) (bool, error) { all, err := h.totals("rxe0"); return all != nil, err }
	for name, ask := range map[string]func() (answered bool, err error){
		"addresses":                func() (bool, error) { list, err := h.Addresses(0); return list != nil, err },
		"exclusive":                h.Exclusive,
		"exclusive, with a handle": opened.Exclusive,
		"driver":                   driver,
		"totals":                   func() (bool, error) { return totals(h) },
		"totals, with a handle":    func() (bool, error) { return totals(opened) },
	} {
		answered, err := ask()
		if answered || !errors.Is(err, unix.EMFILE) && !errors.Is(err, unix.EPROTONOSUPPORT) {
			t.Errorf("%s: answered %v, %v", name, answered, err)
		}
	}
	files.Allow(1)
	if list, err := h.Addresses(0); err != nil {
		t.Errorf("with a descriptor: %v, %v", list, err)
	}
}
