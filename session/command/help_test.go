package command

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// helpTopics lists every name that HelpFor explains.
func helpTopics() []string {
	names := slices.Clone(known().words)
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

func TestHelpFits(t *testing.T) {
	texts := map[string]string{"all": HelpAll()}
	for _, name := range helpTopics() {
		texts[name] = HelpFor(name)
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
	for _, s := range Commands {
		if !strings.Contains(all, "\n  "+s.Name+" ") {
			t.Errorf("the list lacks %s", s.Name)
		}
		text := HelpFor(s.Name)
		flat := strings.Join(strings.Fields(text), " ")
		for _, want := range []string{s.Summary, s.Example, s.Verb} {
			if !strings.Contains(flat, want) {
				t.Errorf("help %s lacks %q", s.Name, want)
			}
		}
		for j := range s.Args {
			if a := &s.Args[j]; !strings.Contains(flat, argDoc(a)) ||
				!strings.Contains(strings.ToLower(text), "\n  "+a.Name+" ") {
				t.Errorf("help %s lacks %s", s.Name, a.Name)
			}
		}
	}
	if HelpFor("nothing") != "" {
		t.Error("help for what does not exist")
	}
	if text := HelpFor("expect"); strings.Count(text, "SYNOPSIS") != len(Forms("expect")) {
		t.Errorf("help expect:\n%s", text)
	}
}

func TestSynopsis(t *testing.T) {
	for name, want := range map[string]string{
		"reg_mr":       "reg_mr [NAME] [pd=NAME] [length=N] [access=FLAGS] [backing=BACKING] [dm=NAME] [offset=N]",
		"post_recv":    "post_recv [QP] [wr_id=N] [sge=NAME:OFFSET:LENGTH] [count=N]",
		"expect error": "expect error [ERRNO] LINE",
		"repeat":       "repeat N LINE",
		"modify_qp": "modify_qp [QP] [QP_STATE] [cur_qp_state=CHOICE] [pkey_index=N] [port_num=N] [qp_access_flags=FLAGS] [qkey=N] [path_mtu=CHOICE] [dest_qp_num=N] " +
			"[rq_psn=N] [max_dest_rd_atomic=N] [min_rnr_timer=N] [is_global=0|1] [dgid=GID] [sgid_index=N] [hop_limit=N] [traffic_class=N] [flow_label=N] …",
	} {
		if got := Find(name).Synopsis(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestTable checks the rules of the table.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Commands {
		if seen[s.Name] || s.Summary == "" || s.Group == "" || s.Example == "" {
			t.Errorf("%s: twice in the table, or without a text", s.Name)
		}
		seen[s.Name] = true
		checkArgs(t, s)
	}
}

// TestTableIsWhole: the list has every declared command; a command that is missing could not be typed.
func TestTableIsWhole(t *testing.T) {
	files, err := filepath.Glob("table_*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	for _, path := range files {
		file, err := goparser.ParseFile(token.NewFileSet(), path, nil, goparser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].IsExported() {
				declared++
			}
			return true
		})
	}
	if declared != len(Commands) {
		t.Errorf("%d commands declared, %d in the list: a table_ file exports only commands", declared, len(Commands))
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
			t.Errorf("%s: a nested line takes the rest, so it must come last", where)
		}
		named[a.Name] = true
		if v := (Value{Arg: a, Text: a.Default}); a.Default != "" {
			if err := readers[a.Type](&v, false); err != nil || v.Text != a.Default {
				t.Errorf("%s: the default %s is read as %s, %v", where, a.Default, v.Text, err)
			}
		}
	}
	if last := slices.IndexFunc(s.Args, func(a Arg) bool { return !a.Positional }); last >= 0 {
		if slices.ContainsFunc(s.Args[last:], func(a Arg) bool { return a.Positional }) {
			t.Errorf("%s: positional arguments come first", s.Name)
		}
	}
}

// TestWriteItem: the text begins in its column, or two spaces after a label that reaches the column.
func TestWriteItem(t *testing.T) {
	for label, want := range map[string]string{"a": "  a   text\n", "abc": "  abc text\n", "abcd": "  abcd  text\n",
		"abcde": "  abcde  text\n"} {
		var b strings.Builder
		if writeItem(&b, label, "text", 6); b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}

// TestHelpText: the whole output of help, with its layout.
func TestHelpText(t *testing.T) {
	for name, want := range map[string]string{
		"names": `NAMES
  A name starts with a letter and has letters, digits, _ and -. If only one
  object fits, its name may be left out; the choice is shown.
`,
		"flags": `NAME
  flags - of a test

SYNOPSIS
  flags NAME [FLAGS] [kind=CHOICE]

ARGUMENTS
  NAME                  what it is called
  FLAGS                 those that hold
                        ONE | TWO
  kind                  of two
                        A B

C CALL
  ibv_flags(3)

EXAMPLE
  flags x ONE
`,
		"bare": "NAME\n  bare - of a test\n\nSYNOPSIS\n  bare\n\nEXAMPLE\n  bare\n",
	} {
		got := HelpFor(name)
		for _, s := range []Spec{
			{Name: "flags", Summary: "of a test", Verb: "ibv_flags", Example: "flags x ONE", Args: []Arg{
				{Name: "name", Type: Word, Positional: true, Required: true, Doc: "what it is called"},
				{Name: "flags", Type: FlagSet, Positional: true, Choices: []string{"ONE", "TWO"},
					Doc: "those that hold"},
				{Name: "kind", Type: Choice, Choices: []string{"A", "B"}, Doc: "of two"},
			}},
			{Name: "bare", Summary: "of a test", Example: "bare"},
		} {
			if s.Name == name {
				got = s.help()
			}
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestHelpAllIsOrdered: groups with their commands, then the topics, with an empty line between each two.
func TestHelpAllIsOrdered(t *testing.T) {
	var heads []string
	for _, part := range strings.Split(HelpAll(), "\n\n") {
		head, body, _ := strings.Cut(part, "\n")
		heads = append(heads, head)
		for line := range strings.Lines(body) {
			if !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: %q", head, line)
			}
		}
	}
	var want []string
	for _, g := range groups() {
		want = append(want, strings.ToUpper(g))
	}
	for _, topic := range topics {
		want = append(want, topic.title)
	}
	if want = append(want, "help NAME explains one command."); !slices.Equal(heads, want) {
		t.Errorf("%q, want %q", heads, want)
	}
}
