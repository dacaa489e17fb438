package native

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

func TestMissingLibrary(t *testing.T) {
	p := &Provider{names: []string{"libno-such-verbs.so.1"}}
	_, listErr := p.Devices()
	_, openErr := p.Open("rxe0")
	for _, err := range []error{listErr, openErr} {
		if !errors.Is(err, verbs.ErrUnsupported) {
			t.Fatalf("%v does not match ErrUnsupported", err)
		}
		if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, "libno-such-verbs.so.1") {
			t.Errorf("%q is not one line that names the library", text)
		}
	}
}

// TestNotTheLibrary loads a library that has none of the functions.
func TestNotTheLibrary(t *testing.T) {
	if _, err := (&Provider{names: []string{"libc.so.6"}}).Devices(); !errors.Is(err, verbs.ErrUnsupported) {
		t.Errorf("%v does not match ErrUnsupported", err)
	}
}

// TestThisHost asks the real host: with devices, without them, without the kernel's
// part, or without the library.
func TestThisHost(t *testing.T) {
	p := New()
	if p.Name() != "ibverbs" {
		t.Errorf("the name is %q", p.Name())
	}
	list, err := p.Devices()
	switch {
	case err == nil:
		t.Logf("%d devices", len(list))
	case !errors.Is(err, verbs.ErrUnsupported):
		t.Errorf("%v does not match ErrUnsupported", err)
	case strings.Contains(err.Error(), "\n"):
		t.Errorf("%q is more than one line", err)
	default:
		t.Log(err)
	}
	if _, statErr := os.Stat("/sys/class/infiniband_verbs"); statErr != nil && err == nil {
		t.Error("a host without uverbs lists devices")
	}
	const name = "no such device\x1b[31m"
	_, err = p.Open(name)
	if err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("opening a device that does not exist: %q", err)
	}
}

func TestListErrorNamesTheModule(t *testing.T) {
	err := listError(syscall.ENOSYS)
	if !errors.Is(err, verbs.ErrUnsupported) || !errors.Is(err, syscall.ENOSYS) ||
		!strings.Contains(err.Error(), "ib_uverbs") {
		t.Errorf("%v", err)
	}
	if err := listError(syscall.EPERM); errors.Is(err, verbs.ErrUnsupported) || !errors.Is(err, syscall.EPERM) {
		t.Errorf("%v", err)
	}
}

func TestNoConnectionManager(t *testing.T) {
	p := &Provider{lib: &library{}, cmNames: []string{"libno-such.so.1"}}
	_, err := p.CreateEventChannel()
	_, infoErr := p.GetAddrInfo(t.Context(), "node", "", verbs.AddrInfoHints{})
	for _, err := range []error{err, infoErr} {
		if !errors.Is(err, verbs.ErrUnsupported) || !strings.Contains(err.Error(), "libno-such") {
			t.Errorf("%v", err)
		}
	}
}
