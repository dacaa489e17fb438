package failure

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/dl"
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
	for op, library := range map[string]string{"ibv_no_such_call": "libibverbs", "rdma_no_such_call": "librdmacm"} {
		err := Of(op, "", dl.ErrUnbound)
		if !errors.Is(err, verbs.ErrUnsupported) || !strings.Contains(err.Error(), "a newer "+library+" ") {
			t.Errorf("%s: %v, want a newer %s", op, err, library)
		}
	}
	if err := Of("ibv_create_qp", "", nil); err != nil {
		t.Errorf("nil became %v", err)
	}
}
