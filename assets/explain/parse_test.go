package explain

import (
	"strings"
	"testing"
)

const head = "family: f\nwhat: thing\nsource: S\n\n"

func TestParse(t *testing.T) {
	const content = "# about\nfamily: f\nwhat: thing\nprefix: P_\nwords: a, b c\nrequire: means\nsource: S 1\n\n" +
		"[ONE] 0x10\nalso: uno, ein,\n  eins\nshort: the first\nmeans: It is\n  one.\ncause: c1\ncause: c2\n\n[TWO]\nshort: s\nmeans: m\nsource: mine\n"
	f, err := parse("f.txt", content)
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != "f" || f.Prefix != "P_" || strings.Join(f.Words, "|") != "a|b c" || len(f.Entries) != 2 {
		t.Errorf("the family is %+v", f)
	}
	one, two := f.Entries[0], f.Entries[1]
	if one.Number != 16 || !one.Numbered || !one.Hex || one.CName != "P_ONE" ||
		strings.Join(one.Aliases, "|") != "uno|ein|eins" ||
		one.Means != "It is one." || strings.Join(one.Causes, "|") != "c1|c2" || one.Source != "S 1" {
		t.Errorf("the first entry is %+v", one)
	}
	if two.Numbered || two.Source != "mine" {
		t.Errorf("the second entry is %+v", two)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, content := range map[string]string{
		"no family":             "what: x\n\n[A]\nshort: s\nsource: x\n",
		"no entries":            "family: f\nwhat: x\n",
		"unknown key of family": "family: f\ncolour: red\n",
		"unknown key of entry":  head + "[A]\nshort: s\ncolour: red\n",
		"no short":              head + "[A]\nmeans: m\n",
		"no source":             "family: f\nwhat: x\n\n[A]\nshort: s\n",
		"two shorts":            head + "[A]\nshort: s\nshort: t\n",
		"no value":              head + "[A]\nshort:\n",
		"neither":               head + "[A]\nshort\n",
		"nothing to go on with": "  on\n",
		"no name":               head + "[]\nshort: s\n",
		"open name":             head + "[A\nshort: s\n",
		"bad number":            head + "[A] x\nshort: s\n",
		"required":              "family: f\nwhat: x\nrequire: check\nsource: S\n\n[A]\nshort: s\n",
		"value in short":        head + "[A]\nshort: s {qp}\n",
		"brace alone":           head + "[A]\nshort: s\nmeans: a {qp} b\n",
		"open span":             head + "[A]\nshort: s\nmeans: a [[{qp} b\n",
		"span without value":    head + "[A]\nshort: s\nmeans: a [[b]]\n",
		"value in the other":    head + "[A]\nshort: s\nmeans: a [[{a}|{b}]]\n",
		"span in span":          head + "[A]\nshort: s\nmeans: a [[{a} [[{b}]] ]]\n",
		"open brace":            head + "[A]\nshort: s\nmeans: a [[{a ]]\n",
		"shut brace":            head + "[A]\nshort: s\nmeans: a [[{a}} ]]\n",
		"shut span":             head + "[A]\nshort: s\nmeans: a ]] b\n",
	} {
		if _, err := parse("f.txt", content); err == nil {
			t.Errorf("%s: taken", name)
		} else if !strings.HasPrefix(err.Error(), "f.txt") {
			t.Errorf("%s: %q does not name the file", name, err)
		}
	}
}

func TestFill(t *testing.T) {
	values := Values{"qp": "a", "n": "3", "none": ""}
	for _, tt := range []struct{ text, without, with string }{
		{"plain", "plain", "plain"},
		{"on[[ {qp}]].", "on.", "on a."},
		{"sent [[{n} times|often]], then", "sent often, then", "sent 3 times, then"},
		{"[[{qp} and {n}|both]]", "both", "a and 3"},
		{"[[{qp} and {other}|both]]", "both", "both"},
		{"x [[{none}|y]]", "x y", "x y"},
		{"[[{qp}]]: [[{n}|n]]", ": n", "a: 3"},
	} {
		if _, err := placeholders(tt.text); err != nil {
			t.Errorf("%q: %v", tt.text, err)
		}
		if got := fill(tt.text, nil); got != tt.without {
			t.Errorf("%q without values: %q, want %q", tt.text, got, tt.without)
		}
		if got := fill(tt.text, values); got != tt.with {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.with)
		}
	}
}

// A value is put in as it is: what looks like a placeholder in it is none.
func TestFillOnce(t *testing.T) {
	if got := fill("[[{a}]]", Values{"a": "{b} [[{b}]]", "b": "no"}); got != "{b} [[{b}]]" {
		t.Errorf("got %q", got)
	}
}
