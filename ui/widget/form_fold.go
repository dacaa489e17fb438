package widget

import "strconv"

// MoreFields is the name of the line that stands for the fields that are left out.
const MoreFields = "more"

// Fold leaves the fields of a form out that are seldom used, unless they have another value than usual.
type Fold struct {
	All    bool // none is left out
	folded int
}

// Add adds a field that is seldom used; usual is the value that most leave it at.
func (f *Fold) Add(to []Field, fd Field, usual string) []Field {
	if fd.Value == usual {
		if f.folded++; !f.All {
			return to
		}
	}
	return append(to, fd)
}

// Rest adds a line that counts the fields that are left out, if there are any.
func (f *Fold) Rest(to []Field) []Field {
	if f.All || f.folded == 0 {
		return to
	}
	return append(to, Field{Name: MoreFields, Kind: StaticField, Value: strconv.Itoa(f.folded), Note: ". shows them",
		Shorter: []string{". shows", "."}})
}
