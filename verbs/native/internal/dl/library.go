package dl

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// ErrClosed is returned when a [Library] or a [Mem] is used after Close.
var ErrClosed = errors.New("already closed")

// Library is a loaded shared library.
type Library struct {
	name       string
	errno      uintptr   // the address of __errno_location
	clock      uintptr   // of clock_gettime
	quick      bool      // Call3 and reading errno use quick calls; see CallPlainly
	words      sync.Pool // reusable arguments of Call3
	errnoCalls sync.Pool // the same of quickErrno
	clockCalls sync.Pool // the same of coarse

	mu     sync.Mutex
	handle uintptr // 0 once closed
}

// LoadError means that none of the names of a library could be loaded. It matches
// [errors.ErrUnsupported].
type LoadError struct {
	// Names are the file names tried.
	Names []string
	// Reason is the loader's message for the last of them.
	Reason string
}

// Error names the libraries and why none could be loaded.
func (e *LoadError) Error() string {
	text := fmt.Sprintf("cannot load %s: %s", strings.Join(e.Names, " or "), e.Reason)
	for _, name := range e.Names {
		if hint, ok := packages[name]; ok {
			return text + "; " + hint
		}
	}
	return text
}

// Is makes a missing library match [errors.ErrUnsupported].
func (e *LoadError) Is(target error) bool { return target == errors.ErrUnsupported }

// SymbolError means that a loaded library lacks a function, which an older release may.
// It matches [errors.ErrUnsupported].
type SymbolError struct {
	Symbol  string
	Library string
}

// Error names the library and the function that it lacks.
func (e *SymbolError) Error() string {
	return fmt.Sprintf("%s has no function %s; install a newer release", e.Library, e.Symbol)
}

// Is makes a missing function match [errors.ErrUnsupported].
func (e *SymbolError) Is(target error) bool { return target == errors.ErrUnsupported }

// Open loads the first of the named libraries that can be loaded. Its functions
// stay bound only until [Library.Close].
func Open(names ...string) (*Library, error) {
	failed := &LoadError{Names: names, Reason: "no name given"}
	for _, name := range names {
		handle, err := load(name)
		if err != nil {
			failed.Reason = strings.TrimPrefix(err.Error(), name+": ")
			continue
		}
		// The library's own dependencies are searched too, so this is the errno
		// of the C library that it uses.
		errno, err := find(handle, "__errno_location")
		if err != nil {
			return nil, errors.Join(&SymbolError{"__errno_location", name}, unload(handle))
		}
		clock, err := find(handle, "clock_gettime")
		if err != nil {
			return nil, errors.Join(&SymbolError{"clock_gettime", name}, unload(handle))
		}
		return &Library{name: name, errno: errno, clock: clock, quick: quickCalls(), handle: handle}, nil
	}
	return nil, failed
}

// CallPlainly makes Call3 of functions bound from now on use purego's ordinary calls.
// It always does if quick calls do not exist, or were not checked with the Go release
// that the program is built with.
func (l *Library) CallPlainly() { l.quick = false }

// Name returns the file name under which the library was loaded.
func (l *Library) Name() string { return l.name }

// Has reports whether the library has a function of this name.
func (l *Library) Has(symbol string) bool {
	_, err := l.lookup(symbol)
	return err == nil
}

func (l *Library) lookup(symbol string) (uintptr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.handle == 0 {
		return 0, fmt.Errorf("%s: %w", l.name, ErrClosed)
	}
	fn, err := find(l.handle, symbol)
	if err != nil || fn == 0 {
		return 0, &SymbolError{symbol, l.name}
	}
	return fn, nil
}

// Close unloads the library. Functions bound from it must not be called afterwards.
// Closing again does nothing.
func (l *Library) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.handle == 0 {
		return nil
	}
	handle := l.handle
	l.handle = 0
	if err := unload(handle); err != nil {
		return fmt.Errorf("unload %s: %w", l.name, err)
	}
	return nil
}
