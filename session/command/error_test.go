package command

import (
	"errors"
	"testing"

	"rdmatui/session/command/syntax"
)

// TestErrorsPointAt: an error names the wrong word, which the screen marks, and the next step.
func TestErrorsPointAt(t *testing.T) {
	for _, tt := range []struct{ line, token, hint string }{
		{"alloc_pd zzzzzzzz=1", "zzzzzzzz", "one of name device id"},
		{"modify_qp a RTS zzzzzzzz=1", "zzzzzzzz", "see help modify_qp"},
		{"reg_mr x lenght=1", "lenght", "did you mean length?"},
		{"alloc_pd a device=x device=y", "device", ""},
		{"dealloc_pd a b", "b", "the other arguments are name=value; see help dealloc_pd"},
		{"reg_mr x length", "length", "write length=value"},
		{"note x y", "y", "quote text that has spaces"},
		{"zzzzzz", "zzzzzz", "help lists the commands"},
		{"peer p 0000:000011", "0000:000011", "a record is LID:QPN:PSN:GID with 4, 6, 6 and 32 hex digits"},
		{"peer p", "", "for example: " + Find("peer").Example},
		{"expect mem m 0", "", "for example: " + Find("expect mem").Example},
		{"chain post_recv a sge=m ; note x", "note", "it takes post_send, post_recv, post_srq_recv"},
		{"chain post_recv a sge=m ; post_send a SEND", "post_send", ""},
		{"chain post_recv a sge=m count=2", "2", ""},
		{"reg_mr x length=5x", "5x", ""},
	} {
		_, err := Parse(tt.line)
		var e *syntax.Error
		if !errors.As(err, &e) || e.Token != tt.token || e.Hint != tt.hint {
			t.Errorf("%s: %+v\nwant token %q, hint %q", tt.line, e, tt.token, tt.hint)
		}
	}
}
