package memory

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"rdmatui/verbs"
)

// MapError means that the memory of a region could not be mapped.
type MapError struct {
	Op      string // the C function: "open", "mmap"
	Backing verbs.Backing
	Err     error // usually an errno
	remedy  string
}

func mapError(op string, backing verbs.Backing, err error, remedy string) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &MapError{op, backing, err, remedy}
}

// Error names the operation, the backing and the reason.
func (e *MapError) Error() string {
	return verbs.NewOpError(e.Op, e.Backing.String(), e.Err).Error()
}

// Failed wraps err as the failure of a verb, unless it is the failure of an earlier system call.
func Failed(verb, object string, err error) error {
	var before *MapError
	if errors.As(err, &before) {
		return err
	}
	return verbs.NewOpError(verb, object, err)
}

// Unwrap returns the underlying error.
func (e *MapError) Unwrap() error { return e.Err }

// mapRemedies are the default remedies, used if the caller has no better one.
var mapRemedies = map[syscall.Errno]string{
	syscall.ENOENT: "create the file first: truncate -s 1M PATH",
	syscall.EACCES: "check the permissions: ls -l PATH",
	syscall.EISDIR: "give a regular file",
	syscall.ENODEV: "its file system cannot map files; move the file to another, such as /dev/shm",
	syscall.ELOOP:  "it is a symbolic link; give its target",
}

// Remedy returns what the user can do, "" if unknown.
func (e *MapError) Remedy() string {
	var no syscall.Errno
	if e.remedy == "" && errors.As(e.Err, &no) {
		return mapRemedies[no]
	}
	return e.remedy
}

// BackingError means that a device refused memory that was mapped for a region.
type BackingError struct {
	Backing  verbs.Backing
	ReadOnly bool // it could not be mapped for writing
	Err      error
}

// Error names the backing, whether it is mapped read-only, and the reason.
func (e *BackingError) Error() string {
	how := ""
	if e.ReadOnly {
		how = ", mapped read-only"
	}
	return fmt.Sprintf("%s%s: %v", e.Backing, how, e.Err)
}

// Unwrap returns the underlying error.
func (e *BackingError) Unwrap() error { return e.Err }

// Remedy returns what the user can do, "" if unknown.
func (e *BackingError) Remedy() string {
	switch {
	case !errors.Is(e.Err, syscall.EFAULT):
		return ""
	case e.ReadOnly:
		return "the file cannot be opened for writing; register it without LOCAL_WRITE or make it writable"
	case e.Backing.Kind == verbs.FileMapping:
		return "Linux 6.5 and later do not pin disk files for writing; move the file to /dev/shm or hugetlbfs, or leave out LOCAL_WRITE"
	}
	return ""
}

// Refused returns the error of a device that refused the memory; err itself if the memory is anonymous.
func (m *Mapping) Refused(backing verbs.Backing, err error) error {
	if backing.Kind == verbs.Anonymous {
		return err
	}
	return &BackingError{backing, m.readOnly, err}
}
