package failure

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

func TestFailure(t *testing.T) {
	tests := []struct {
		err         error
		text        string
		errno       error
		unsupported bool
	}{
		{syscall.EINVAL, "ibv_create_qp on PD 1: invalid argument (EINVAL)", syscall.EINVAL, false},
		{syscall.EOPNOTSUPP, "ibv_create_qp on PD 1: operation not supported (EOPNOTSUPP)", syscall.EOPNOTSUPP, true},
		{syscall.ENOSYS, "ibv_create_qp on PD 1: function not implemented (ENOSYS)", syscall.ENOSYS, true},
		{&verbs.BusyError{Object: "PD 1", UsedBy: []string{"MR 0x1"}},
			"ibv_create_qp on PD 1: PD 1 is busy: still used by MR 0x1 (EBUSY)", syscall.EBUSY, false},
		{verbs.ErrClosed, "ibv_create_qp on PD 1: the object is closed", verbs.ErrClosed, false},
	}
	for _, tt := range tests {
		err := Of("ibv_create_qp", "PD 1", tt.err)
		var op *verbs.OpError
		if !errors.As(err, &op) || op.Op != "ibv_create_qp" || err.Error() != tt.text {
			t.Errorf("%q, want %q", err, tt.text)
		}
		if !errors.Is(err, tt.errno) || errors.Is(err, verbs.ErrUnsupported) != tt.unsupported {
			t.Errorf("%q matches %v: %v, ErrUnsupported: %v", err, tt.errno, errors.Is(err, tt.errno),
				errors.Is(err, verbs.ErrUnsupported))
		}
	}
	if err := Of("ibv_create_qp", "", nil); err != nil {
		t.Errorf("nil became %v", err)
	}
}
