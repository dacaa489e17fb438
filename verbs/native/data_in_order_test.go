//go:build linux

package native

import (
	"errors"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/dl"
)

// TestQueryDataInOrder passes what the caller asks and returns what the library answers. A library without the function
// is named with the version that has it.
func TestQueryDataInOrder(t *testing.T) {
	f := newFakeC(t)
	qp := f.qp(verbs.RC).(*queuePair)
	var none *verbs.UnsupportedError
	if _, err := qp.QueryDataInOrder(verbs.WRSend, 0); !errors.As(err, &none) ||
		none.Requires != "a libibverbs with the symbol version IBVERBS_1.14" {
		t.Errorf("an old library: %v", err)
	}
	var got [3]uintptr
	answer := uintptr(0)
	f.dev.lib.queryQPDataInOrder = dl.At[dl.CountFunc](f.dev.lib.dl,
		dl.Callback(func(qp, op, flags uintptr) uintptr { got = [3]uintptr{qp, op, flags}; return answer }))
	for _, tt := range []struct {
		op     verbs.WROpcode
		flags  verbs.DataInOrderFlags
		answer verbs.DataInOrder
		text   string
	}{
		{verbs.WRRDMAWrite, 0, 1, "WHOLE_MSG"},
		{verbs.WRSend, 1, 2, "ALIGNED_128_BYTES"},
		{verbs.WRRDMARead, 3, 3, "WHOLE_MSG|ALIGNED_128_BYTES"},
		{verbs.WRAtomicWrite, 1 << 31, 0, "0"},
		{verbs.WRSend, 1, 4, "0x4"}, // of a newer library
	} {
		answer = uintptr(tt.answer)
		order, err := qp.QueryDataInOrder(tt.op, tt.flags)
		if order != tt.answer || order.String() != tt.text || err != nil {
			t.Errorf("%s, %x: %s, %v; want %s", tt.op, uint32(tt.flags), order, err, tt.text)
		}
		if want := [3]uintptr{qp.ptr, uintptr(tt.op), uintptr(tt.flags)}; got != want {
			t.Errorf("the library got %x, want %x", got, want)
		}
	}
	answer = ^uintptr(0)
	if order, err := qp.QueryDataInOrder(verbs.WRSend, 0); order != 0 || !errors.Is(err, dl.Negative(-1)) {
		t.Errorf("%s, %v; want -1, which no release returns", order, err)
	}
}
