package native

import (
	"errors"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

var _ verbs.RTValuesQuerier = (*device)(nil)

// QueryRTValuesEx implements verbs.RTValuesQuerier.
func (d *device) QueryRTValuesEx() (values verbs.RTValues, err error) {
	const op = "ibv_query_rt_values_ex"
	if err := d.use(); err != nil {
		return values, fail(op, d.info.Name, err)
	}
	defer d.done()
	raw := &abi.ValuesEx{CompMask: abi.ValuesMaskRawClock}
	err = slot[dl.ErrnoFunc](d, abi.SlotQueryRtValues).Call(d.ctx, uintptr(unsafe.Pointer(raw)))
	if errors.Is(err, dl.ErrUnbound) || err == nil && raw.CompMask&abi.ValuesMaskRawClock == 0 {
		err = syscall.EOPNOTSUPP // as the header's inline function
	}
	if err != nil {
		return values, fail(op, d.info.Name, postError(err))
	}
	values.RawClock.Sec, values.RawClock.NSec = raw.RawClock[0], raw.RawClock[1]
	return values, nil
}
