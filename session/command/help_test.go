package command

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHelpFits(t *testing.T) {
	texts := map[string]string{"all": HelpAll()}
	for _, name := range HelpTopics() {
		texts[name] = Help(name)
	}
	for name, text := range texts {
		if !strings.HasSuffix(text, "\n") || strings.TrimSpace(text) == "" {
			t.Errorf("%s: %q", name, text)
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > helpWidth {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s: space at the end of %q", name, line)
			}
		}
	}
}

func TestHelpIsWhole(t *testing.T) {
	all := HelpAll()
	for i := range Commands {
		s := &Commands[i]
		if !strings.Contains(all, "\n  "+s.Name+" ") {
			t.Errorf("the list lacks %s", s.Name)
		}
		text := Help(s.Name)
		flat := strings.Join(strings.Fields(text), " ")
		for _, want := range []string{s.Summary, s.Example, s.Verb} {
			if !strings.Contains(flat, want) {
				t.Errorf("help %s lacks %q", s.Name, want)
			}
		}
		for j := range s.Args {
			if a := &s.Args[j]; !strings.Contains(flat, argDoc(a)) || !strings.Contains(strings.ToLower(text), "\n  "+a.Name+" ") {
				t.Errorf("help %s lacks %s", s.Name, a.Name)
			}
		}
	}
	if Help("nothing") != "" {
		t.Error("help for what does not exist")
	}
	if text := Help("expect"); strings.Count(text, "SYNOPSIS") != len(Forms("expect")) {
		t.Errorf("help expect:\n%s", text)
	}
}

func TestSynopsis(t *testing.T) {
	for name, want := range map[string]string{
		"reg_mr":       "reg_mr [NAME] [pd=NAME] [length=N] [access=FLAGS] [backing=BACKING] [dm=NAME] [offset=N]",
		"post_recv":    "post_recv [QP] [wr_id=N] [sge=NAME:OFFSET:LENGTH] [count=N]",
		"expect error": "expect error [ERRNO] LINE",
		"repeat":       "repeat N LINE",
	} {
		if got := Find(name).Synopsis(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestTable holds the table to its own rules.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for i := range Commands {
		s := &Commands[i]
		if seen[s.Name] || s.Summary == "" || s.Group == "" || s.Example == "" {
			t.Errorf("%s: twice in the table, or without a text", s.Name)
		}
		seen[s.Name] = true
		checkArgs(t, s)
	}
	for name := range checks {
		if Find(name) == nil {
			t.Errorf("there is a check of %s, which is no command", name)
		}
	}
}

func checkArgs(t *testing.T, s *Spec) {
	named := map[string]bool{}
	for i := range s.Args {
		a := &s.Args[i]
		where := s.Name + " " + a.Name
		switch {
		case named[a.Name]:
			t.Errorf("%s: twice", where)
		case a.Doc == "":
			t.Errorf("%s: no description", where)
		case a.Type == Uint && (a.Bits < 1 || a.Bits > 64):
			t.Errorf("%s: %d bits", where, a.Bits)
		case (a.Type == Choice || a.Type == FlagSet) != (len(a.Choices) > 0):
			t.Errorf("%s: choices %v", where, a.Choices)
		case (a.Type == Object || a.Type == NewName) != (len(a.Objects) > 0):
			t.Errorf("%s: objects %v", where, a.Objects)
		case a.Required && a.Default != "":
			t.Errorf("%s: required, so its default is never used", where)
		case a.Type == Line && i != len(s.Args)-1:
			t.Errorf("%s: a line takes all that follows", where)
		}
		named[a.Name] = true
		if v := (Value{Arg: a, Text: a.Default}); a.Default != "" {
			if text, err := checkers[a.Type](&v, false); err != nil || text != a.Default {
				t.Errorf("%s: the default %s is read as %s, %v", where, a.Default, text, err)
			}
		}
	}
	if last := slices.IndexFunc(s.Args, func(a Arg) bool { return !a.Positional }); last >= 0 {
		if slices.ContainsFunc(s.Args[last:], func(a Arg) bool { return a.Positional }) {
			t.Errorf("%s: arguments by place come first", s.Name)
		}
	}
}

// TestWriteItem: the text begins in its column, or two blanks behind a label that reaches it.
func TestWriteItem(t *testing.T) {
	for label, want := range map[string]string{"a": "  a   text\n", "abc": "  abc text\n", "abcd": "  abcd  text\n", "abcde": "  abcde  text\n"} {
		var b strings.Builder
		if writeItem(&b, label, "text", 6); b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}
