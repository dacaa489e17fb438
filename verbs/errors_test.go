package verbs

import (
	"errors"
	"syscall"
	"testing"
)

func TestErrors(t *testing.T) {
	if NewOpError("ibv_modify_qp", "", nil) != nil {
		t.Error("an error was made of nil")
	}
	err := NewOpError("ibv_modify_qp", "QP 0x000011", syscall.EINVAL)
	if got, want := err.Error(), "ibv_modify_qp on QP 0x000011: invalid argument (EINVAL)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(err, syscall.EINVAL) || ErrnoName(err) != "EINVAL" {
		t.Error("the errno is lost")
	}
	un := NewOpError("ibv_query_device_ex", "", &UnsupportedError{"the extended attributes", "rdma-core 13"})
	if !errors.Is(un, ErrUnsupported) || errors.Is(err, ErrUnsupported) {
		t.Error("ErrUnsupported does not tell them apart")
	}
	if !errors.Is(&BusyError{Object: "PD", UsedBy: []string{"MR 0x1"}}, syscall.EBUSY) {
		t.Error("busy is not EBUSY")
	}
}
