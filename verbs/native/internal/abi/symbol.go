package abi

import "slices"

// Kind tells how a function that the headers declare is reached.
type Kind int

// The kinds of symbols.
const (
	// Real functions are found by dlsym under their own name.
	Real Kind = iota
	// Inline functions exist only in the headers; Via is what they call.
	Inline
	// Macro names are replaced by the headers. The library may export the same
	// name with an older meaning.
	Macro
)

// Convention is the way a C function reports failure.
type Convention int

// The conventions of both libraries.
const (
	// NoError functions cannot fail, or report failure in their own way.
	NoError Convention = iota
	// NullErrno: a pointer, NULL with errno set on failure.
	NullErrno
	// ErrnoValue: 0, or the errno itself as a positive value.
	ErrnoValue
	// NegErrno: a count, or the errno as a negative value.
	NegErrno
	// Negative: a count, or a negative value that is not an errno.
	Negative
	// MinusOne: 0 or more, or -1 with errno set.
	MinusOne
)

// Symbol is one function of verbs or of the connection manager.
type Symbol struct {
	Name string
	Kind Kind
	// Since is the version node of the exported function in the library's symbol
	// table; empty if it is not exported.
	Since   string
	Returns Convention
	// Via is what an inline function or a macro calls: a member of ibv_context.ops
	// or verbs_context, or another function.
	Via string
}

// Symbols returns the functions that this program knows, sorted by object.
func Symbols() []Symbol { return slices.Clone(symbols) }

// SymbolNamed returns the entry of one function.
func SymbolNamed(name string) (Symbol, bool) {
	i := slices.IndexFunc(symbols, func(s Symbol) bool { return s.Name == name })
	if i < 0 {
		return Symbol{}, false
	}
	return symbols[i], true
}
