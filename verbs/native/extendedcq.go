package native

import (
	"encoding/binary"
	"errors"
	"runtime"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// createCQ creates the C object. A queue whose completions need more fields than
// ibv_poll_cq returns is created as an extended one.
func (d *device) createCQ(spec verbs.CQSpec, channel uintptr) (uintptr, error) {
	if spec.WCFlags == 0 {
		return d.lib.createCQ.Call(d.ctx, uintptr(spec.CQE), 0, channel, uintptr(spec.CompVector))
	}
	attr := &abi.CQInitAttrEx{
		CQE: uint32(spec.CQE), Channel: channel,
		CompVector: uint32(spec.CompVector), WCFlags: uint64(spec.WCFlags | verbs.CQStandard),
	}
	ptr, err := slot[dl.PointerFunc](d, abi.SlotCreateCQEx).Call(d.ctx, uintptr(unsafe.Pointer(attr)))
	if errors.Is(err, dl.ErrUnbound) {
		err = syscall.EOPNOTSUPP // like the header's inline function
	}
	return ptr, err
}

// takeExtended reads completions one by one, each between ibv_start_poll and
// ibv_end_poll, during which the driver holds its own lock. ibv_next_poll would be
// cheaper, but corrupts rxe's queue at its end (rdma-core 44).
func (c *completionQueue) takeExtended(wcs []verbs.WC) (n int, err error) {
	if c.poll.cq == 0 {
		return 0, verbs.ErrClosed
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := dl.View[abi.CQEx](c.poll.cq)
	start := dl.At[dl.ErrnoFunc](c.dev.lib.dl, x.StartPoll)
	attr := uintptr(unsafe.Pointer(c.poll.staged)) // a struct ibv_poll_cq_attr: nothing else is staged here
	*dl.View[abi.PollCQAttr](attr) = abi.PollCQAttr{}
	for ; n < len(wcs); n++ {
		if err := start.Call(c.poll.cq, attr); err != nil {
			return n, notEmpty(err)
		}
		c.readExtended(&wcs[n], x)
		c.read(x.EndPoll)
	}
	return n, nil
}

// notEmpty drops the error that means that no completion is left.
func notEmpty(err error) error {
	if errors.Is(err, syscall.ENOENT) {
		return nil
	}
	return failure.OfPost(err)
}

// read calls one of the functions that read a field.
func (c *completionQueue) read(fn uintptr) uintptr {
	if fn == 0 {
		return 0 // a field that was not requested from the driver, or that it lacks
	}
	return dl.At[dl.ValueFunc](c.dev.lib.dl, fn).Call(c.poll.cq)
}

// readExtended reads the current completion. The other fields of a failed one must not
// be read.
func (c *completionQueue) readExtended(to *verbs.WC, x *abi.CQEx) {
	*to = verbs.WC{
		WRID: x.WRID, Status: verbs.WCStatus(x.Status),
		VendorErr: uint32(c.read(x.ReadVendorErr)), QPNum: verbs.QPN(c.read(x.ReadQPNum)),
	}
	if to.Failed() {
		return
	}
	to.Opcode = verbs.WCOpcode(uint32(c.read(x.ReadOpcode)))
	to.WCFlags = verbs.WCFlags(uint32(c.read(x.ReadWCFlags)))
	to.ByteLen = uint32(c.read(x.ReadByteLen))
	to.SrcQP = verbs.QPN(uint32(c.read(x.ReadSrcQP)))
	to.SLID = uint16(c.read(x.ReadSLID))
	to.SL = uint8(c.read(x.ReadSL))
	to.DLIDPathBits = uint8(c.read(x.ReadDLIDPathBits))
	if to.WCFlags&(verbs.WCWithImm|verbs.WCWithInv) != 0 {
		word := binary.NativeEndian.AppendUint32(nil, uint32(c.read(x.ReadImmData)))
		if to.WCFlags&verbs.WCWithImm != 0 {
			to.ImmData = binary.BigEndian.Uint32(word)
		} else {
			to.InvalidatedRKey = binary.NativeEndian.Uint32(word)
		}
	}
	to.Stamps = c.stamps & (verbs.CQWithTimestamp | verbs.CQWithWallclock)
	if to.Stamps&verbs.CQWithTimestamp != 0 {
		to.CompletionTS = uint64(c.read(x.ReadCompletionTS))
	}
	if to.Stamps&verbs.CQWithWallclock != 0 {
		to.CompletionWallclockNS = uint64(c.read(x.ReadCompletionWallclockNS))
	}
}
