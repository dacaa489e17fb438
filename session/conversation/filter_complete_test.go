package conversation

import (
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	for _, x := range []struct {
		text string // | is the cursor
		want string // some of the list
		no   string
	}{
		{"na|", "nak", "rnr"},
		{"nak and r|", "rnr retry", "nak"},
		{"NA|", "nak", ""},
		{"ps|", "psn", ""},
		{"psn|", "psn== psn>=", ""},
		{"op~|", "RC_SEND_ONLY UD_SEND_ONLY", "nak"},
		{"op~write_f|", "RC_RDMA_WRITE_FIRST UC_RDMA_WRITE_FIRST", "RC_SEND_ONLY"},
		{"not (g|", "gap", "("},
		{"a| or nak", "and", "nak"},
		{"|nak", "", "nak"},
		{"nak |", "", "nak"},
		{"psn==|", "", "nak"},
		{"psn==n|", "", "nak"},
		{"|", "", "nak"},
		{"nak|", "", "nak"},
		{"foo|", "", "foo=="},
		{"==n|", "", "nak"},
		{"(|", "", "nak"},
		{"op~0x|", "", "nak"},
		{"op~RC_SEND_LAST|", "RC_SEND_LAST_WITH_IMMEDIATE", "RC_SEND_LAST"},
	} {
		cursor := strings.Index(x.text, "|")
		text := x.text[:cursor] + x.text[cursor+1:]
		var got []string
		for _, c := range CompleteFilter(text, cursor) {
			got = append(got, c.Text)
			if c.From < 0 || c.From > c.To || c.To != cursor {
				t.Errorf("%q: %+v", x.text, c)
			}
		}
		for _, want := range strings.Fields(x.want) {
			if !slices.Contains(got, want) {
				t.Errorf("%q: %q, want %s", x.text, got, want)
			}
		}
		if x.want == "" && len(got) > 0 || x.no != "" && slices.Contains(got, x.no) {
			t.Errorf("%q: %q", x.text, got)
		}
		if slices.Sort(got); len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%q: %q offers something twice", x.text, got)
		}
	}
}

// TestCursor: a cursor outside the text is at its nearest end.
func TestCursor(t *testing.T) {
	if got := CompleteFilter("na", -1); got != nil {
		t.Errorf("before the text: %+v", got)
	}
	if got := CompleteFilter("na", 3); len(got) != 1 || got[0].Text != "nak" || got[0].To != 2 {
		t.Errorf("behind the text: %+v", got)
	}
}

// What Complete offers is understood once it has its value.
func TestCompleteIsUnderstood(t *testing.T) {
	for _, w := range FilterWords() {
		list := CompleteFilter(w.Name, len(w.Name))
		if !w.Field {
			if _, err := ParseFilter(w.Name, nil); err != nil {
				t.Errorf("%s: %v", w.Name, err)
			}
			continue
		}
		for _, c := range list {
			if !strings.ContainsAny(c.Text, "=<>~") {
				continue
			}
			_, asNumber := ParseFilter(c.Text+"1", nil)
			_, asAddress := ParseFilter(c.Text+"10.0.0.1", nil)
			if asNumber != nil && asAddress != nil {
				t.Errorf("%s: %v", c.Text, asNumber)
			}
		}
	}
}
