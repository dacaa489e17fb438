package verbs

import "slices"

// Noter is implemented by providers that have something to say about how a
// device came out, other than the user may have expected.
type Noter interface {
	// Notes returns one note a matter, none where all is as asked.
	Notes() []Note
}

// Note is one matter of a provider's devices.
type Note struct {
	Devices []string // the names of those that it is about; never empty
	Text    string   // one line: which device, what, why, and what would change it
}

// NotesOn returns what a provider has to say of the named device; of each that it has,
// for "".
func NotesOn(p Provider, device string) (texts []string) {
	noter, ok := p.(Noter)
	if !ok {
		return nil
	}
	for _, n := range noter.Notes() {
		if device == "" || slices.Contains(n.Devices, device) {
			texts = append(texts, n.Text)
		}
	}
	return texts
}
