package devices

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"testing"

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

// TestNoDescriptor: where no socket can be opened, each question to the kernel has an error for an answer. Later,
// with a descriptor, the same host answers.
func TestNoDescriptor(t *testing.T) {
	h := &host{}
	defer h.Close()
	files := verbstest.LimitDescriptors(t)
	driver := func() (bool, error) { module, err := h.DriverModule("rxe0"); return module != "", err }
	resources := func() (bool, error) { r, err := h.Resources("rxe0"); return len(r.Totals) != 0, err }
	for name, ask := range map[string]func() (answered bool, err error){
		"addresses": func() (bool, error) { list, err := h.Addresses(0); return list != nil, err },
		"exclusive": h.Exclusive,
		"driver":    driver,
		"resources": resources,
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

// summaries are answers of kernels to RDMA_NLDEV_CMD_RES_GET for rxe0, the first recorded: with the most objects there
// can be, without, and with attributes that no kernel has yet.
var summaries = map[string]struct {
	answer         []byte
	totals, limits map[string]uint64
}{
	"7.3.4": {
		recorded(
			"08000100000000000900020072786530000000000c010f002400100007001100706400000c0012000100000000000000" +
				"0c00760000001000000000002400100007001100637100000c00120001000000000000000c0076000000100000000000" +
				"2400100007001100717000000c00120001000000000000000c007600f0ff0f00000000001c0010000a001100636d5f69" +
				"640000000c001200000000000000000024001000070011006d7200000c00120000000000000000000c007600ffff0700" +
				"000000001800100008001100637478000c00120000000000000000002400100008001100737271000c00120000000000" +
				"000000000c007600ffff0d0000000000200010000e001100636f6d705f636e74720000000c0012000000000000000000"),
		map[string]uint64{"pd": 1, "cq": 1, "qp": 1, "cm_id": 0, "mr": 0, "ctx": 0, "srq": 0, "comp_cntr": 0},
		map[string]uint64{"pd": 1 << 20, "cq": 1 << 20, "qp": 1048560, "mr": 524287, "srq": 917503},
	},
	"one without limits": {
		join(attr(nldevDevIndex, u32(3)), attr(15, join(
			attr(16, join(attr(17, []byte("pd\x00")), attr(18, u64(2)))),
			attr(16, join(attr(17, []byte("cm_id\x00")), attr(18, u64(1<<40))))))),
		map[string]uint64{"pd": 2, "cm_id": 1 << 40},
		nil,
	},
	"one to come": {
		join(attr(300, u32(1)), attr(15|nested, join(attr(301, nil), attr(16|nested, join(attr(302, u64(9)),
			attr(17, []byte("pd\x00")), attr(303, []byte("text\x00")), attr(118, u64(7)), attr(18, u64(2))))))),
		map[string]uint64{"pd": 2},
		map[string]uint64{"pd": 7},
	},
}

func u64(v uint64) []byte { return binary.NativeEndian.AppendUint64(nil, v) }

func recorded(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}
