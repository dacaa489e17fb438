package native

import (
	"context"
	"errors"
	"strings"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// fail makes the error of one verb: op is the C function, object what it was
// called on. It returns nil for nil.
func fail(op, object string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, dl.ErrUnbound):
		return unsupported(op)
	}
	return verbs.NewOpError(op, object, refused(err))
}

// refused makes an errno that says that something is lacking match verbs.ErrUnsupported too.
func refused(err error) error {
	if no, ok := err.(syscall.Errno); ok && meansUnsupported(no) {
		return refusal{no}
	}
	return err
}

func unsupported(op string) error {
	library := "libibverbs"
	if strings.HasPrefix(op, "rdma_") {
		library = "librdmacm"
	}
	e := &verbs.UnsupportedError{Feature: op, Requires: "a newer " + library + ", or a driver that has it"}
	if s, ok := abi.SymbolNamed(op); ok && s.Since != "" {
		e.Requires = "a " + library + " with the symbol version " + s.Since
	}
	return e
}

func meansUnsupported(no syscall.Errno) bool {
	return no == syscall.EOPNOTSUPP || no == syscall.ENOSYS || no == syscall.EPROTONOSUPPORT
}

// refusal is an errno by which a driver or kernel says that it lacks a feature.
type refusal struct{ errno syscall.Errno }

func (r refusal) Error() string { return r.errno.Error() }

func (r refusal) Unwrap() error { return r.errno }

// Is makes the errno match verbs.ErrUnsupported too.
func (r refusal) Is(target error) bool { return target == verbs.ErrUnsupported }

// postError undoes the sign: drivers return errno from posts, but some return
// it negated (rxe does for receive requests).
func postError(err error) error {
	var n dl.Negative
	if errors.As(err, &n) && n > -4096 {
		return syscall.Errno(-n)
	}
	return err
}

// waitError leaves the end of a context as it is: it is not the verb that failed.
func waitError(op, object string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fail(op, object, err)
}
