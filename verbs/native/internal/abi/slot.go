package abi

import "unsafe"

// extended is the value of ibv_context.abi_compat that means that the context is
// embedded in a verbs_context (__VERBS_ABI_IS_EXTENDED).
const extended = ^uintptr(0)

// Slot is one function pointer of verbs_context.
type Slot struct {
	// Name is the C name of the member.
	Name string
	// below is the distance in bytes from the pointer up to ibv_context.
	below uintptr
}

func slot(name string, offset uintptr) Slot {
	return Slot{name, unsafe.Offsetof(VerbsContext{}.Context) - offset}
}

// The slots behind the inline functions of the headers.
var (
	SlotQueryPort     = slot("query_port", unsafe.Offsetof(VerbsContext{}.QueryPort))
	SlotQueryDeviceEx = slot("query_device_ex", unsafe.Offsetof(VerbsContext{}.QueryDeviceEx))
	SlotCreateCQEx    = slot("create_cq_ex", unsafe.Offsetof(VerbsContext{}.CreateCQEx))
	SlotCreateQPEx    = slot("create_qp_ex", unsafe.Offsetof(VerbsContext{}.CreateQPEx))
	SlotCreateSRQEx   = slot("create_srq_ex", unsafe.Offsetof(VerbsContext{}.CreateSRQEx))
	SlotQueryRtValues = slot("query_rt_values", unsafe.Offsetof(VerbsContext{}.QueryRtValues))
	SlotModifyCQ      = slot("modify_cq", unsafe.Offsetof(VerbsContext{}.ModifyCQ))
	SlotAllocDM       = slot("alloc_dm", unsafe.Offsetof(VerbsContext{}.AllocDM))
	SlotFreeDM        = slot("free_dm", unsafe.Offsetof(VerbsContext{}.FreeDM))
	SlotRegDMMR       = slot("reg_dm_mr", unsafe.Offsetof(VerbsContext{}.RegDMMR))
)

// Load returns the function pointer in the slot, or false if the library has no such
// slot or the provider left it empty. The checks are those of verbs_get_ctx_op: an
// extended context, and a verbs_context large enough to contain the slot.
//
// ctx must be a context that the library returned, or the Context inside a
// [VerbsContext].
func (s Slot) Load(ctx *Context) (fn uintptr, ok bool) {
	if ctx.ABICompat != extended {
		return 0, false
	}
	const sizeBelow = unsafe.Offsetof(VerbsContext{}.Context) - unsafe.Offsetof(VerbsContext{}.Size)
	size := *(*uint64)(unsafe.Add(unsafe.Pointer(ctx), -int(sizeBelow)))
	if size < uint64(s.below+unsafe.Sizeof(Context{})) {
		return 0, false
	}
	fn = *(*uintptr)(unsafe.Add(unsafe.Pointer(ctx), -int(s.below)))
	return fn, fn != 0
}
