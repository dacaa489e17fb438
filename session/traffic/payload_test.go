package traffic

import (
	"bytes"
	"testing"
)

// TestIsStock: a stock program's message is zero only at the starts of pages.
func TestIsStock(t *testing.T) {
	const size = 2*StockPage + 9
	at := func(value byte, places ...int) []byte {
		p := bytes.Repeat([]byte{stockFilling}, size)
		for _, j := range places {
			p[j] = value
		}
		return p
	}
	for name, tt := range map[string]struct {
		message []byte
		want    bool
	}{
		"plain": {at(0), true}, "marked": {at(0, 0, StockPage, 2*StockPage), true},
		"one page":           {at(0, StockPage), true},
		"zero within a page": {at(0, 1), false}, "zero at the end of a page": {at(0, StockPage-1), false},
		"one at the start": {at(1, 0), false}, "empty": {nil, true},
	} {
		if got := isStock(tt.message); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestMarks: messages that the check must tell apart differ, and a stock server with
// -c finds its zeros in the last message.
func TestMarks(t *testing.T) {
	message := func(follow int) []byte {
		p := make([]byte, 3*StockPage)
		mark(p, follow)
		return p
	}
	for follow := range 250 {
		m := message(follow)
		if bytes.Equal(m, message(follow+1)) || bytes.Equal(m[:StockPage], m[StockPage:2*StockPage]) {
			t.Errorf("with %d to follow, messages repeat", follow)
		}
		for page := range 3 {
			if got := m[page*StockPage]; (got == 0) != (follow == 0) {
				t.Errorf("with %d to follow, page %d starts with %d", follow, page, got)
			}
		}
	}
}
