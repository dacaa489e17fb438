//go:build linux

package native

import (
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/eventfile"
)

// fakeC stands in for the C library below one device: real calls through real function
// pointers, with answers that a test sets.
type fakeC struct {
	testing.TB
	dev *device

	answer  int // of the next calls that return errno
	granted abi.QPCap
	access  verbs.Access // of the latest region

	refuse   int // index in the chain at which post_send refuses the request; -1: none
	sends    [][]abi.SendWR
	sendSGEs [][]abi.SGE
	recvs    [][]abi.RecvWR
	srqRecvs [][]abi.RecvWR

	qpInits []abi.QPInitAttr
	srqs    []abi.SRQInitAttr // as requested
	srqAttr abi.SRQAttr       // as last modified; returned by a query
	srqMask int
	mcasts  []fakeMcast

	completions []abi.WC
	polls       []int // the size of each poll
	pollAnswer  int   // a negative result; 0: none

	acked int
	freed []uintptr
}

// fakeMcast is one call that attaches or detaches a group.
type fakeMcast struct {
	detach bool
	gid    abi.GID
	lid    uint16
}

func newFakeC(t testing.TB) *fakeC {
	t.Helper()
	so, err := dl.Open("libc.so.6")
	if err != nil {
		t.Fatal(err)
	}
	if plainCalls() {
		so.CallPlainly()
	}
	f := &fakeC{TB: t, refuse: -1,
		granted: abi.QPCap{MaxSendWR: 200, MaxRecvWR: 200, MaxSendSGE: 4, MaxRecvSGE: 4}}
	lib := &library{dl: so}
	lib.allocPD = dl.At[dl.PointerFunc](so, dl.Callback(func(uintptr) uintptr { return f.object() }))
	lib.createCQ = dl.At[dl.PointerFunc](so, dl.Callback(func(_, cqe uintptr) uintptr {
		ptr := f.object()
		dl.View[abi.CQ](ptr).CQE = int32(cqe) + 1
		return ptr
	}))
	lib.createQP = dl.At[dl.PointerFunc](so, dl.Callback(func(_, attr uintptr) uintptr {
		f.qpInits = append(f.qpInits, *dl.View[abi.QPInitAttr](attr))
		dl.View[abi.QPInitAttr](attr).Cap = f.granted
		ptr := f.object()
		dl.View[abi.QP](ptr).QPNum = 0x11
		return ptr
	}))
	lib.createAH = dl.At[dl.PointerFunc](so, dl.Callback(func(_, _ uintptr) uintptr { return f.object() }))
	lib.modifyQP = dl.At[dl.ErrnoFunc](so, dl.Callback(func(_, _, _ uintptr) uintptr { return uintptr(f.answer) }))
	f.sharedReceiveQueues(lib)
	f.multicast(lib)
	destroy := dl.At[dl.ErrnoFunc](so, dl.Callback(f.destroy))
	lib.deallocPD, lib.destroyCQ, lib.destroyQP, lib.destroyAH = destroy, destroy, destroy, destroy
	lib.destroySRQ = destroy
	lib.ackCQEvents = dl.At[dl.ValueFunc](so, dl.Callback(func(_, n uintptr) uintptr {
		f.acked += int(n)
		return 0
	}))
	lib.closeDevice = dl.At[dl.StatusFunc](so, dl.Callback(func(uintptr) uintptr { return 0 }))
	f.dev = newDevice(lib, f.object(), verbs.DeviceInfo{Name: "fake0"})
	f.dev.async = &eventfile.File{}
	f.dev.ops = dataPath{
		postSend: waiting(dl.At[dl.ErrnoFunc](so, dl.Callback(f.postSend))),
		postRecv: waiting(dl.At[dl.ErrnoFunc](so, dl.Callback(func(_, wr, _ uintptr) uintptr {
			return f.postRecv(wr, &f.recvs)
		}))),
		postSRQRecv: waiting(dl.At[dl.ErrnoFunc](so, dl.Callback(func(_, wr, _ uintptr) uintptr {
			return f.postRecv(wr, &f.srqRecvs)
		}))),
		pollCQ: dl.At[dl.CountFunc](so, dl.Callback(f.pollCQ)),
	}
	return f
}

func (f *fakeC) sharedReceiveQueues(lib *library) {
	lib.createSRQ = dl.At[dl.PointerFunc](lib.dl, dl.Callback(func(_, attr uintptr) uintptr {
		f.srqs = append(f.srqs, *dl.View[abi.SRQInitAttr](attr))
		ptr := f.object()
		dl.View[abi.SRQ](ptr).Handle = 5
		return ptr
	}))
	lib.modifySRQ = dl.At[dl.ErrnoFunc](lib.dl, dl.Callback(func(_, attr, mask uintptr) uintptr {
		f.srqAttr, f.srqMask = *dl.View[abi.SRQAttr](attr), int(mask)
		return uintptr(f.answer)
	}))
	lib.querySRQ = dl.At[dl.ErrnoFunc](lib.dl, dl.Callback(func(_, attr uintptr) uintptr {
		*dl.View[abi.SRQAttr](attr) = f.srqAttr
		return uintptr(f.answer)
	}))
}

func (f *fakeC) multicast(lib *library) {
	verb := func(detach bool) dl.ErrnoFunc {
		return dl.At[dl.ErrnoFunc](lib.dl, dl.Callback(func(_, gid, lid uintptr) uintptr {
			f.mcasts = append(f.mcasts, fakeMcast{detach, *dl.View[abi.GID](gid), uint16(lid)})
			return uintptr(f.answer)
		}))
	}
	lib.attachMcast, lib.detachMcast = verb(false), verb(true)
}

// waiting makes plain calls of a function that calls back into Go, which a quick call
// must not do.
func waiting(f dl.ErrnoFunc) postFunc { return postFunc{short: f, long: f} }

// object returns zeroed memory, large enough for any C struct.
func (f *fakeC) object() uintptr {
	mem, err := dl.NewMem(1024)
	if err != nil {
		f.Error(err)
		return 0
	}
	return mem.Addr()
}

func (f *fakeC) destroy(ptr uintptr) uintptr {
	if f.answer == 0 {
		f.freed = append(f.freed, ptr)
	}
	return uintptr(f.answer)
}

func (f *fakeC) postSend(_, wr, bad uintptr) uintptr {
	var chain []abi.SendWR
	for ; wr != 0; wr = chain[len(chain)-1].Next {
		if len(chain) == f.refuse {
			*dl.View[uintptr](bad) = wr
			f.sends = append(f.sends, chain)
			return uintptr(syscall.ENOMEM)
		}
		raw := *dl.View[abi.SendWR](wr)
		chain = append(chain, raw)
		f.sendSGEs = append(f.sendSGEs, elements(raw.SGList, raw.NumSGE))
	}
	f.sends = append(f.sends, chain)
	return 0
}

func elements(addr uintptr, n int32) (list []abi.SGE) {
	for i := range uintptr(n) {
		list = append(list, *dl.View[abi.SGE](addr + 16*i))
	}
	return list
}

// postRecv returns a negative errno, as some drivers do, and no bad request.
func (f *fakeC) postRecv(wr uintptr, to *[][]abi.RecvWR) uintptr {
	if f.answer != 0 {
		return uintptr(-f.answer)
	}
	var chain []abi.RecvWR
	for ; wr != 0; wr = chain[len(chain)-1].Next {
		chain = append(chain, *dl.View[abi.RecvWR](wr))
	}
	*to = append(*to, chain)
	return 0
}

func (f *fakeC) pollCQ(_, n, to uintptr) uintptr {
	f.polls = append(f.polls, int(n))
	if f.pollAnswer != 0 {
		return uintptr(f.pollAnswer)
	}
	k := min(int(n), len(f.completions))
	for i := range k {
		*dl.View[abi.WC](to + 48*uintptr(i)) = f.completions[i]
	}
	f.completions = f.completions[k:]
	return uintptr(k)
}

func (f *fakeC) pd() verbs.PD {
	f.Helper()
	pd, err := f.dev.AllocPD()
	if err != nil {
		f.Fatal(err)
	}
	return pd
}

func (f *fakeC) cq() verbs.CQ {
	f.Helper()
	cq, err := f.dev.CreateCQ(verbs.CQSpec{CQE: 100})
	if err != nil {
		f.Fatal(err)
	}
	return cq
}

func (f *fakeC) qp(typ verbs.QPType) verbs.QP {
	f.Helper()
	cq := f.cq()
	qp, err := f.pd().CreateQP(verbs.QPSpec{QPType: typ, SendCQ: cq, RecvCQ: cq})
	if err != nil {
		f.Fatal(err)
	}
	return qp
}
