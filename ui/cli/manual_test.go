package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rdmatui/assets"
	"rdmatui/session/command"
	"rdmatui/session/lab"
	"rdmatui/session/scenario"
)

// manualPages returns README.md and the manual by name.
func manualPages(t *testing.T) map[string]string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"README": string(readme)}
	for _, name := range assets.PageNames() {
		all[name], _ = assets.Page(name)
	}
	return all
}

var (
	codeComment = regexp.MustCompile(`\s{2,}#.*`)
	codePrompt  = regexp.MustCompile(`^[a-z-]*\$ +`)
)

// TestManualCommands: each command line of README.md and the manual is one that the program takes.
func TestManualCommands(t *testing.T) {
	found := 0
	for name, page := range manualPages(t) {
		for l := range strings.Lines(page) {
			code, isCode := strings.CutPrefix(strings.TrimRight(l, "\n"), "    ")
			if !isCode {
				continue
			}
			code = codePrompt.ReplaceAllString(codeComment.ReplaceAllString(code, ""), "")
			_, args, ok := strings.Cut(" "+code, " rdmatui ")
			if !ok {
				checkSessionLine(t, name, code)
				continue
			}
			found++
			args, _, _ = strings.Cut(args, " <")
			if why := refused(strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(args))); why != "" {
				t.Errorf("%s: %s: %s", name, code, why)
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d commands were found", found)
	}
}

// refused says why the program does not take a command line, "" if it does.
func refused(args []string) string {
	root := (&call{Program: &Program{}}).rootCommand()
	sub, rest, err := root.Find(args)
	if err != nil {
		return err.Error()
	}
	sub.InitDefaultHelpFlag()
	if err := sub.ParseFlags(rest); err != nil {
		return err.Error()
	}
	switch of := sub.Flags().Args(); {
	case sub == root && len(args) > 0 && len(of) > 0:
		return "no such command"
	case sub.Name() == "lab" && len(of) > 0:
		_, err := lab.Find(of[0])
		if on, _ := sub.Flags().GetBool("rules"); on {
			_, err = lab.FindRules(of[0])
		}
		if err != nil {
			return err.Error()
		}
	case sub.Name() == "scenario" && scenario.Named(of[0]) == nil:
		return "no such scenario"
	}
	return ""
}

// checkSessionLine demands that a line that begins with a session command is one that the session takes.
func checkSessionLine(t *testing.T, page, code string) {
	t.Helper()
	word, rest, _ := strings.Cut(code, " ")
	if command.HelpFor(word) == "" || strings.HasPrefix(rest, "= ") { // a setting has a command's name
		return
	}
	if _, err := command.Parse(code); err != nil {
		t.Errorf("%s: %s: %v", page, code, err)
	}
}

func TestManual(t *testing.T) {
	for _, tt := range []struct {
		args   string
		status int
		says   string
	}{
		{"manual", Done, "wire             The Wire screen"},
		{"manual wire", Done, "Packets of any device"},
		{"manual software device", Done, "soft0 and soft1 are RoCEv2 endpoints"},
		{"manual nonsense", Wrong, `the manual has no page "nonsense"; 'manual' alone lists the pages`},
		{"manual --json", Wrong, "the manual has no JSON form"},
	} {
		_, out, stderr, status := invokeSoft("", strings.Fields(tt.args)...)
		if status != tt.status || !strings.Contains(strings.ToLower(out+stderr), strings.ToLower(tt.says)) {
			t.Errorf("%s: exit status %d\n%s%s", tt.args, status, out, stderr)
		}
	}
}
