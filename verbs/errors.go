package verbs

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// ErrUnsupported matches every error that reports a missing feature of the
// provider, library, driver or device.
var ErrUnsupported = errors.New("not supported")

// UnsupportedError says which feature is missing and what would provide it.
type UnsupportedError struct {
	Feature  string // "ibv_query_device_ex", "shared receive queues"
	Requires string // "libibverbs 1.1 (rdma-core 13)"; may be ""
}

// Error names the missing feature and, if known, what it requires.
func (e *UnsupportedError) Error() string {
	if e.Requires == "" {
		return e.Feature + " is not supported"
	}
	return fmt.Sprintf("%s is not supported: it needs %s", e.Feature, e.Requires)
}

// Is makes errors.Is(err, ErrUnsupported) true.
func (e *UnsupportedError) Is(target error) bool { return target == ErrUnsupported }

// OpError is the failure of one verb. Err is usually the errno that the verb
// returned, so that errors.Is(err, syscall.EINVAL) works.
type OpError struct {
	Op     string // the C function: "ibv_modify_qp"
	Object string // the object that it was called on: "QP 0x000011"; may be ""
	Err    error
}

// NewOpError wraps err in an [OpError]; it returns nil if err is nil.
func NewOpError(op, object string, err error) error {
	if err == nil {
		return nil
	}
	return &OpError{op, object, err}
}

// Error returns "op on object: reason (ERRNO)"; the object and the errno's name
// only if known.
func (e *OpError) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Object != "" {
		b.WriteString(" on " + e.Object)
	}
	b.WriteString(": " + e.Err.Error())
	if name := ErrnoName(e.Err); name != "" {
		b.WriteString(" (" + name + ")")
	}
	return b.String()
}

// Unwrap returns Err, the errno in most cases.
func (e *OpError) Unwrap() error { return e.Err }

// BusyError means that an object cannot be closed because other objects use it.
type BusyError struct {
	Object string   // "PD", "CQ"
	UsedBy []string // "MR 0x1a2b", "QP 0x000011"
	Err    error    // the errno that the driver returned; nil means EBUSY
}

// Error names the object and the objects that still use it.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s is busy: still used by %s", e.Object, strings.Join(e.UsedBy, ", "))
}

// Unwrap returns the driver's errno, EBUSY if it gave none.
func (e *BusyError) Unwrap() error {
	if e.Err != nil {
		return e.Err
	}
	return syscall.EBUSY
}

// ErrForeignObject is returned when objects of two providers or devices are
// mixed in one call.
var ErrForeignObject = errors.New("the object belongs to another provider or device")

// ErrClosed is returned by calls on an object that has been closed.
var ErrClosed = errors.New("the object is closed")

// errnoNames holds the errnos that verbs return.
var errnoNames = map[syscall.Errno]string{
	syscall.EPERM: "EPERM", syscall.ENOENT: "ENOENT", syscall.EINTR: "EINTR", syscall.EIO: "EIO",
	syscall.ENXIO: "ENXIO", syscall.EBADF: "EBADF", syscall.EAGAIN: "EAGAIN", syscall.ENOMEM: "ENOMEM",
	syscall.EACCES: "EACCES", syscall.EFAULT: "EFAULT", syscall.EBUSY: "EBUSY", syscall.EEXIST: "EEXIST",
	syscall.ENODEV: "ENODEV", syscall.EINVAL: "EINVAL", syscall.EMFILE: "EMFILE", syscall.ENFILE: "ENFILE",
	syscall.ENOSPC: "ENOSPC", syscall.ERANGE: "ERANGE", syscall.ENOSYS: "ENOSYS",
	syscall.EPROTONOSUPPORT: "EPROTONOSUPPORT", syscall.EOPNOTSUPP: "EOPNOTSUPP",
	syscall.EADDRINUSE: "EADDRINUSE", syscall.EADDRNOTAVAIL: "EADDRNOTAVAIL", syscall.ENETDOWN: "ENETDOWN",
	syscall.ENETUNREACH: "ENETUNREACH", syscall.ECONNREFUSED: "ECONNREFUSED", syscall.ECONNRESET: "ECONNRESET",
	syscall.EISCONN: "EISCONN", syscall.ENOTCONN: "ENOTCONN", syscall.ETIMEDOUT: "ETIMEDOUT",
	syscall.EHOSTUNREACH: "EHOSTUNREACH", syscall.EPROTO: "EPROTO", syscall.EMSGSIZE: "EMSGSIZE",
	syscall.ENODATA: "ENODATA", syscall.EISDIR: "EISDIR", syscall.ENOTDIR: "ENOTDIR", syscall.ELOOP: "ELOOP",
}

// ErrnoName returns the C name of the errno in err ("EINVAL"), or of the
// resolver's code ("EAI_NONAME"); "" if there is none or its name is unknown.
func ErrnoName(err error) string {
	var code AddrInfoError
	if errors.As(err, &code) && AddrInfoErrors.Known(code) {
		return AddrInfoErrors.CName(code)
	}
	var no syscall.Errno
	if errors.As(err, &no) {
		return errnoNames[no]
	}
	return ""
}
