package explain

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTerms: each word of tutorials has an answer, and the first is of the family that explains it.
func TestTerms(t *testing.T) {
	list, err := os.ReadFile("testdata/terms.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for l := range strings.Lines(string(list)) {
		if l = strings.TrimSpace(l); l == "" || l[0] == '#' {
			continue
		}
		n++
		family, term, _ := strings.Cut(l, ": ")
		for _, asked := range []string{term, strings.ToLower(term), "what is " + term + "?"} {
			answer := Read(asked)
			if len(answer.Entries) == 0 || answer.Entries[0].Family != family || answer.Log {
				t.Errorf("%q is answered by %s, want one of %s", asked, firstOf(answer), family)
			}
		}
	}
	if n < 150 {
		t.Errorf("the list has %d terms only", n)
	}
}

// sentence ends one, but not after an abbreviation or inside a name.
var sentence = regexp.MustCompile(`[.?!](\s|$)`)

// TestTermsAreShort: an answer has two to six sentences, its first line among them.
func TestTermsAreShort(t *testing.T) {
	for _, name := range []string{"term", "socket"} {
		f, err := stores[name].family()
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Entries {
			e := &f.Entries[i]
			if n := 1 + len(sentence.FindAllString(e.Means, -1)); n < 2 || n > 6 {
				t.Errorf("%s %s has %d sentences", name, e.Name, n)
			}
		}
	}
}

// TestReferences: what an entry says to ask has an answer.
func TestReferences(t *testing.T) {
	asks := regexp.MustCompile(`rdmatui explain ([^;:]+)`)
	for _, name := range []string{"term", "socket", "verb_call", "word"} {
		f, err := stores[name].family()
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Entries {
			e := &f.Entries[i]
			for _, text := range append(append([]string{e.Means}, e.Try...), e.Check...) {
				for _, m := range asks.FindAllStringSubmatch(text, -1) {
					for asked := range strings.SplitSeq(m[1], ", ") {
						read := strings.HasPrefix(asked, "-") || strings.HasPrefix(asked, "for ")
						if !read && len(Lookup(asked)) == 0 {
							t.Errorf("%s %s: %q has no answer", name, e.Name, asked)
						}
					}
				}
			}
		}
	}
}

// TestCalls: a call's first answer says what it does, on what it acts, whether it waits and what it returns; its
// errnos follow.
func TestCalls(t *testing.T) {
	acts := regexp.MustCompile(`^It (acts on|needs no object|concerns)`)
	waits := regexp.MustCompile(`sleep|block|wait|at once|system call|reads|opens|asks|copies|As ibv_create_ah`)
	for verb := range theIndex().verbs {
		found := Lookup(verb)
		if len(found) < 2 {
			t.Errorf("%s has %d answers", verb, len(found))
			continue
		}
		e := found[0]
		switch {
		case e.Family == "cm_call":
		case e.Family != "verb_call":
			t.Errorf("%s is answered by %s %s first", verb, e.Family, e.Name)
		case !acts.MatchString(e.Means) || !waits.MatchString(e.Means) || !strings.Contains(e.Means, "It returns"):
			t.Errorf("%s: object, waiting or return value is missing in %q", verb, e.Means)
		}
		for _, other := range found[1:] {
			own := other.Family == "verb_errno" && strings.HasPrefix(other.Name, verb+" ")
			if !own && other.Family != "cm_option" {
				t.Errorf("%s is also answered by %s %s", verb, other.Family, other.Name)
			}
		}
		if !Leads(found, verb) {
			t.Errorf("%s: the call does not lead", verb)
		}
	}
}

// TestLeads: only what the text names leads.
func TestLeads(t *testing.T) {
	for text, want := range map[string]bool{"ibv_post_send": true, "modify_qp": true, "WC": true, "RoCE": true,
		"modify_qp EINVAL": false, "rkey": false, "status": false, "SEND": false, "zero copy": false} {
		if got := Leads(Lookup(text), text); got != want {
			t.Errorf("%q leads: %v", text, got)
		}
	}
}
