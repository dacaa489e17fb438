package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// createExtended creates a queue pair with the functions behind ibv_wr_*. The caller
// holds dev.mu.
func (p *protectionDomain) createExtended(raw *abi.QPInitAttr, ops verbs.SendOps) (uintptr, error) {
	create := slot[dl.PointerFunc](p.dev, abi.SlotCreateQPEx)
	ex := &abi.QPInitAttrEx{
		SendCQ: raw.SendCQ, RecvCQ: raw.RecvCQ, SRQ: raw.SRQ, Cap: raw.Cap, QPType: raw.QPType, SQSigAll: raw.SQSigAll,
		CompMask: abi.QPInitAttrPD | abi.QPInitAttrSendOps, PD: p.ptr, SendOpsFlags: uint64(ops),
	}
	ptr, err := create.Call(p.dev.ctx, uintptr(unsafe.Pointer(ex)))
	if errors.Is(err, dl.ErrUnbound) {
		err = syscall.EOPNOTSUPP // like the header's inline function
	}
	raw.Cap = ex.Cap
	return ptr, err
}

// openExtended obtains the struct ibv_qp_ex of such a queue pair.
func (q *queuePair) openExtended(lib *library, ptr uintptr, ops verbs.SendOps) error {
	ex, err := lib.qpToQPEx.Call(ptr)
	if err != nil {
		return err
	}
	q.ex, q.ops = ex, ops
	return nil
}

// runOf returns how many of the first requests are posted in the same way, and whether
// that is ibv_wr_*.
func (q *queuePair) runOf(wrs []verbs.SendWR) (n int, extended bool) {
	if q.ops == 0 {
		return len(wrs), false
	}
	extended = q.ops.Has(wrs[0].Opcode)
	for n < len(wrs) && q.ops.Has(wrs[n].Opcode) == extended {
		n++
	}
	return n, extended
}

// postExtended posts requests between one ibv_wr_start and its ibv_wr_complete, which
// accepts all of them or none. If a request is invalid, those before it are posted. The
// driver holds its own lock meanwhile.
func (q *queuePair) postExtended(wrs []verbs.SendWR) (posted int, err error) {
	if q.sq.ptr == 0 {
		return 0, verbs.ErrClosed
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := dl.View[abi.QPEx](q.ex)
	q.inlined = q.inlined[:0]
	q.call(x.Start)
	var unfit error
	for i := range wrs {
		if unfit = q.build(x, &wrs[i]); unfit != nil {
			break
		}
		posted++
		if wrs[i].Opcode.Traits().Bind { // drivers read the window's current key
			break
		}
	}
	if posted == 0 {
		q.call(x.Abort)
		return 0, unfit
	}
	if err := dl.At[dl.ErrnoFunc](q.dev.lib.dl, x.Complete).Call(q.ex); err != nil {
		return 0, failure.OfPost(err)
	}
	bound(&wrs[posted-1])
	return posted, unfit
}

// call calls a function of the queue pair that returns nothing.
func (q *queuePair) call(fn uintptr, args ...uintptr) {
	dl.At[dl.ValueFunc](q.dev.lib.dl, fn).Call(append([]uintptr{q.ex}, args...)...)
}

// build adds one request. The memory that it points to may be used by C until the batch
// is complete.
func (q *queuePair) build(x *abi.QPEx, wr *verbs.SendWR) error {
	if err := q.checkExtended(wr); err != nil {
		return err
	}
	t := wr.Opcode.Traits()
	if t.Copied || wr.SendFlags&verbs.SendInline != 0 {
		safe, copies, err := q.dev.regions.safe(wr.SGList)
		if err != nil {
			return err
		}
		q.inlined = append(q.inlined, copies...)
		copied := *wr
		copied.SGList, wr = safe, &copied
	}
	q.sq.begin()
	list, _ := q.sq.stageList(wr.SGList)
	raw := &q.sq.wrs[0]
	if q.typ == verbs.UD || t.Bind {
		if err := q.fillUnions(raw, wr); err != nil {
			return err
		}
	}
	fn := *(*uintptr)(unsafe.Add(unsafe.Pointer(x), builders[wr.Opcode]))
	if fn == 0 {
		return &verbs.UnsupportedError{Feature: fmt.Sprintf("posting %s by this driver's ibv_wr_*", wr.Opcode)}
	}
	x.WRID, x.WRFlags = wr.WRID, uint32(wr.SendFlags) // including INLINE, which rxe reads here
	q.call(fn, arguments(wr, q.sq.at(0)+unsafe.Offsetof(raw.Tail))...)
	if q.typ == verbs.UD {
		ud := raw.UD()
		q.call(x.SetUDAddr, ud.AH, uintptr(ud.RemoteQPN), uintptr(ud.RemoteQKey))
	}
	switch {
	case !t.HasList() || t.Copied:
	case wr.SendFlags&verbs.SendInline != 0:
		q.setInline(x, wr.SGList)
	default:
		q.call(x.SetSGEList, uintptr(len(wr.SGList)), list)
	}
	return nil
}

// setInline sets the data that C copies at once. Several elements are joined here,
// because wr_set_inline_data_list of rxe (rdma-core 56) takes their length for 0.
func (q *queuePair) setInline(x *abi.QPEx, list []verbs.SGE) {
	if len(list) == 1 {
		q.call(x.SetInlineData, uintptr(list[0].Addr), uintptr(list[0].Length))
		return
	}
	var all []byte
	for _, e := range list {
		if e.Length > 0 {
			all = append(all, unsafe.Slice(dl.View[byte](uintptr(e.Addr)), e.Length)...)
		}
	}
	q.inlined = append(q.inlined, all) // and thereby on the heap, where it does not move
	q.call(x.SetInlineData, uintptr(unsafe.Pointer(unsafe.SliceData(all))), uintptr(len(all)))
}

// checkExtended rejects requests that would crash C.
func (q *queuePair) checkExtended(wr *verbs.SendWR) error {
	t := wr.Opcode.Traits()
	if int(wr.Opcode) >= len(builders) || builders[wr.Opcode] == 0 {
		return &verbs.UnsupportedError{Feature: fmt.Sprintf("posting %s", wr.Opcode)}
	}
	if t.Placement() && wr.SendFlags&verbs.SendInline != 0 {
		return fmt.Errorf("%s does not support INLINE: %w", wr.Opcode, syscall.EINVAL)
	}
	if t.Flush && len(wr.SGList) > 0 || t.Copied && (len(wr.SGList) != 1 || wr.SGList[0].Length != verbs.AtomicLen) {
		return fmt.Errorf("%s does not take these SGEs: %w", wr.Opcode, syscall.EINVAL)
	}
	if (t.Copied || wr.SendFlags&verbs.SendInline != 0) && !q.dev.regions.holds(wr.SGList) {
		return fmt.Errorf("inline data is not in a memory region: %w", syscall.EFAULT)
	}
	n := uint64(0)
	for i := range wr.SGList {
		n += uint64(wr.SGList[i].Length)
	}
	if wr.SendFlags&verbs.SendInline != 0 && n > uint64(q.cap.MaxInlineData) {
		return fmt.Errorf("%s of inline data, but max_inline_data is %d: %w", format.Counted(n, "byte"),
			q.cap.MaxInlineData, syscall.EINVAL)
	}
	return nil
}

// builders holds the offset in [abi.QPEx] of the function that starts a request, by opcode; 0: there is none.
var builders = func() (at [32]uintptr) {
	functions := map[string]uintptr{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[abi.QPEx]()) {
		functions["ibv_"+f.Tag.Get("c")+f.Tag.Get("later")] = f.Offset
	}
	for _, op := range verbs.WROpcodes.Values() {
		at[op] = functions[op.Traits().Builder]
	}
	return at
}()

// arguments returns what the function is called with; bind is the address of the binding's struct.
func arguments(wr *verbs.SendWR, bind uintptr) (args []uintptr) {
	t := wr.Opcode.Traits()
	if t.Bind {
		b := dl.View[abi.SendBindMW](bind)
		args = append(args, b.MW, uintptr(b.RKey), bind+unsafe.Offsetof(b.BindInfo))
	}
	if t.Remote {
		args = append(args, uintptr(wr.RKey), uintptr(wr.RemoteAddr))
	}
	if t.Imm {
		args = append(args, network(wr.ImmData))
	}
	if t.Invalid {
		args = append(args, uintptr(wr.InvalidateKey))
	}
	if t.Atomic {
		args = append(args, uintptr(wr.CompareAdd))
	}
	if t.Swap {
		args = append(args, uintptr(wr.Swap))
	}
	if t.Flush {
		args = append(args, uintptr(wr.Flush.Length), uintptr(wr.Flush.Type), uintptr(wr.Flush.Level))
	}
	if t.Copied {
		args = append(args, uintptr(wr.SGList[0].Addr))
	}
	return args
}

// network returns immediate data as C stores it in a word.
func network(v uint32) uintptr {
	return uintptr(binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, v)))
}
