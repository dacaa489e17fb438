//go:build linux

package native

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/cm"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// borrow returns a device as the connection manager gets it; let counts the calls of
// letGo.
func (f *fakeC) borrow() (dev cm.Device, let *int) {
	lib := f.dev.lib
	lib.getDeviceGUID = dl.At[dl.ValueFunc](lib.dl, dl.Callback(func(uintptr) uintptr { return 0 }))
	ctx := f.object()
	*dl.View[abi.Context](ctx) = abi.Context{Device: f.object(), AsyncFD: -1}
	let = new(int)
	return lib.Borrow(ctx, func() { *let++ }), let
}

// TestBorrowedDevice: Close leaves a device open that librdmacm opened, and tells its
// owner.
func TestBorrowedDevice(t *testing.T) {
	f := newFakeC(t)
	dev, let := f.borrow()
	pd, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	var busy *verbs.BusyError
	if err := dev.Close(); !errors.As(err, &busy) || len(dev.Users()) != 1 || dev.Abandon() {
		t.Errorf("a device with objects: %v, %q", err, dev.Users())
	}
	if err := pd.Close(); err != nil || *let != 1 || len(dev.Users()) != 0 {
		t.Errorf("%v, letGo was called %d times, objects left: %q", err, *let, dev.Users())
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	if pd, err = dev.AllocPD(); err != nil {
		t.Errorf("Close closed the borrowed device: %v", err)
	}
	if err := pd.Close(); err != nil || !dev.Abandon() {
		t.Errorf("not abandoned: %v", err)
	}
	dev.EndWaits()
	if _, err := dev.AllocPD(); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("an abandoned device: %v", err)
	}
}

// TestQPByTheManager: librdmacm makes the queue pair, and its identifier closes it.
func TestQPByTheManager(t *testing.T) {
	f := newFakeC(t)
	dev, _ := f.borrow()
	cq, err := dev.CreateCQ(verbs.CQSpec{CQE: 1})
	if err != nil {
		t.Fatal(err)
	}
	pd, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	var domain uintptr
	var refusal error
	closes := 0
	call := cm.QPCall{Op: "rdma_create_qp", Object: "rdma_cm_id 1",
		Create: func(pd uintptr, attr *abi.QPInitAttr) (uintptr, error) {
			domain = pd
			if attr.SendCQ != cq.(*completionQueue).ptr || attr.QPType != uint32(verbs.UD) {
				t.Errorf("%+v", attr)
			}
			return f.object(), refusal
		},
		Close: func() error { closes++; return nil },
	}
	spec := verbs.QPSpec{QPType: verbs.UD, SendCQ: cq, RecvCQ: cq}
	if _, err := dev.CreateQPBy(call, f.pd(), spec); !errors.Is(err, verbs.ErrForeignObject) {
		t.Errorf("another device's domain: %v", err)
	}
	refusal = syscall.ENOMEM
	var failed *verbs.OpError
	if _, err := dev.CreateQPBy(call, pd, spec); !errors.As(err, &failed) || failed.Op != call.Op ||
		failed.Object != call.Object || !errors.Is(err, refusal) {
		t.Errorf("%v", err)
	}
	refusal = nil
	if _, err := dev.CreateQPBy(call, nil, spec); err != nil || domain != 0 {
		t.Errorf("without a domain: %v, %#x", err, domain)
	}
	qp, err := dev.CreateQPBy(call, pd, spec)
	if err != nil || domain != pd.(*protectionDomain).ptr || qp.Name() != "QP 0x000000" {
		t.Fatalf("%v, %#x, %s", err, domain, qp.Name())
	}
	if err := qp.Close(); err != nil || closes != 1 || qp.Closed() {
		t.Errorf("%v, %d closes", err, closes)
	}
	f.answer = int(syscall.EBUSY)
	if err := qp.Destroy("rdma_destroy_qp"); !errors.As(err, &failed) || failed.Op != "rdma_destroy_qp" || qp.Closed() {
		t.Errorf("%v", err)
	}
	f.answer = 0
	if err := qp.Destroy("rdma_destroy_qp"); err != nil || !qp.Closed() || len(dev.Users()) != 3 {
		t.Errorf("%v, %q", err, dev.Users())
	}
}
