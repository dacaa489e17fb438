package cm

import (
	"errors"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// InitQPAttr implements verbs.CMID.
func (i *ID) InitQPAttr(state verbs.QPState) (verbs.QPAttr, error) {
	raw, mask := &abi.QPAttr{QPState: uint32(state)}, new(int32)
	err := i.do("rdma_init_qp_attr", func(id uintptr) (int, error) {
		return i.cm.lib.initQPAttr.Call(id, uintptr(unsafe.Pointer(raw)), uintptr(unsafe.Pointer(mask)))
	})
	if err != nil {
		return verbs.QPAttr{}, err
	}
	return raw.Values(verbs.AttrMask(uint32(*mask))), nil
}

// CreateQP implements verbs.CMID. Without a domain, the library uses its own.
func (i *ID) CreateQP(pd verbs.PD, spec verbs.QPSpec) (verbs.QP, error) {
	const op = "rdma_create_qp"
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ptr == 0 {
		return nil, failure.Of(op, i.name, verbs.ErrClosed)
	}
	dev := i.bound()
	if dev == nil {
		return nil, failure.Of(op, i.name, syscall.EINVAL) // C would dereference NULL
	}
	var q QP
	var err error
	q, err = dev.CreateQPBy(QPCall{
		Op: op, Object: i.name,
		Create: func(pd uintptr, attr *abi.QPInitAttr) (uintptr, error) {
			_, err := i.cm.lib.createQP.Call(i.ptr, pd, uintptr(unsafe.Pointer(attr)))
			return dl.View[abi.CMID](i.ptr).QP, err
		},
		Close: func() error { return i.closeQP(q) },
	}, pd, spec)
	if err != nil {
		return nil, err
	}
	i.setQP(q)
	return q, nil
}

func (i *ID) setQP(q QP) {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	i.state.qp = q
}

// closeQP does what rdma_destroy_qp does for a queue pair whose completion queues are
// not the library's, except that the library forgets the queue pair even if it cannot
// be destroyed.
func (i *ID) closeQP(q QP) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.state.qp != q { // changes require i.mu
		return nil // already closed
	}
	i.ch.mu.Lock()
	defer i.ch.mu.Unlock()
	err := q.Destroy("rdma_destroy_qp")
	if groups := i.groups(); errors.Is(err, syscall.EBUSY) && len(groups) > 0 {
		busy := &verbs.BusyError{Object: q.Name()}
		for _, group := range groups {
			busy.UsedBy = append(busy.UsedBy, "multicast group "+group.String())
		}
		err = failure.Of("rdma_destroy_qp", q.Name(), busy)
	}
	if q.Closed() {
		dl.View[abi.CMID](i.ptr).QP = 0
		i.setQP(nil)
	}
	return err
}
