package dl

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// ErrClosed reports the use of a [Library] or a [Mem] after Close.
var ErrClosed = errors.New("already closed")

// Library is a loaded shared library.
type Library struct {
	name  string
	errno uintptr   // the address of __errno_location
	quick bool      // Call3 takes quick calls; see CallPlainly
	words sync.Pool // arguments of Call3, for use again

	mu     sync.Mutex
	handle uintptr // 0 once closed
}

// LoadError reports that none of the names of a library could be loaded. It
// matches [errors.ErrUnsupported].
type LoadError struct {
	// Names are the file names that were tried.
	Names []string
	// Reason is the loader's own words about the last of them.
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

// SymbolError reports that a loaded library has no such function, as an older
// release of it may. It matches [errors.ErrUnsupported].
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
		return &Library{name: name, errno: errno, quick: quickCalls(), handle: handle}, nil
	}
	return nil, failed
}

// CallPlainly makes Call3 of the functions bound from now on an ordinary call of
// purego's. Where quick calls do not exist, or were not checked with the release of
// Go that the program is built with, it always is.
func (l *Library) CallPlainly() { l.quick = false }

// Name returns the file name under which the library was loaded.
func (l *Library) Name() string { return l.name }

// Has tells whether the library has a function of this name.
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

// Close unloads the library. Nothing that was bound from it may be called any
// more. Closing again does nothing.
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
