package verbs

// Noter is implemented by providers that have something to say about how a
// device came out, other than the user may have expected.
type Noter interface {
	// Notes returns one line a matter, none where all is as asked: which device,
	// what, why, and what would change it.
	Notes() []string
}
