package region

import (
	"errors"
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// bytesOf is a region with a content; what cannot be read begins at 12.
type bytesOf struct {
	verbs.MR
	content [16]byte
}

var errUnreadable = errors.New("unreadable")

func (b bytesOf) Spec() verbs.MRSpec { return verbs.MRSpec{Length: uint64(len(b.content))} }
func (b bytesOf) ReadAt(p []byte, off int64) (int, error) {
	if off >= 12 {
		return 0, errUnreadable
	}
	return copy(p, b.content[off:]), nil
}

// TestFieldAt: a field that names a number at an offset is known, even if it cannot be read.
func TestFieldAt(t *testing.T) {
	r := &MR{Node: &core.Node{Name: "m"}, MR: bytesOf{content: [16]byte{8: 1, 9: 2, 10: 3, 11: 4}}}
	for name, want := range map[string]struct {
		text, err string
		known     bool
	}{
		"rkey": {"", "", false}, "be32.8": {"16909060", "", true}, "le16.8": {"513", "", true},
		"be32.12": {"", "unreadable", true}, "be32.13": {"", "m has 16 bytes: there is no be32.13", true},
		"be32.100": {"", "m has 16 bytes: there is no be32.100", true},
	} {
		text, known, err := r.FieldAt(name)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if text != want.text || known != want.known || got != want.err {
			t.Errorf("%s: %q, known %v, %q; want %+v", name, text, known, got, want)
		}
	}
}
