package cli

import (
	"bytes"
	"strings"
	"testing"

	"rdmatui/session/pair"
)

// TestPrintPair: the first line of a report is the first wrong finding, the second its change; nothing that an end sent
// reaches the terminal or the Markdown as it is.
func TestPrintPair(t *testing.T) {
	r := &pair.Report{A: pair.End{Host: "one", Version: "1", Device: "rxe0", Port: 1, GID: "10.0.0.1", Index: 2},
		B: pair.End{Host: "two", Version: "\x1b[2J"},
		Findings: []pair.Finding{{Check: "device", Of: "a", Verdict: pair.Right, Evidence: "rxe0"},
			{Check: "device", Of: "b", Verdict: pair.Wrong, Evidence: "none|\x1b[2J<b>", Change: "mend `it`"},
			{Check: "port", Of: "b", Verdict: pair.NotLooked, Evidence: "because device (b) is wrong"},
			{Check: "route", Of: "a→b", Verdict: pair.NotLooked, Evidence: "because device (b) is wrong"},
			{Check: "route", Of: "b→a", Verdict: pair.NotLooked, Evidence: "because device (b) is wrong"},
			{Check: "loss", Of: "b→a", Verdict: pair.NotLooked, Evidence: "because write (b→a) is wrong"}}}
	for _, tt := range []struct {
		json, markdown bool
		want           []string
	}{
		{false, false, []string{"wrong: device (b): none|\\x1b[2J<b>\nchange: mend `it`\n\n" +
			"a: one, rdmatui 1, rxe0 port 1, GID 10.0.0.1 at index 2\nb: two, rdmatui \\x1b[2J\n\n",
			"right          device     a     rxe0\n",
			"not looked at  port, route       because device (b) is wrong\n" +
				"not looked at  loss             because write (b→a) is wrong\n"}},
		{false, true, []string{"**wrong: device (b): none\\|\\x1b[2J&lt;b>**\n**change: mend 'it'**\n",
			"\n| verdict | check | of | evidence |\n|---|---|---|---|\n| right | device | a | rxe0 |\n"}},
		{true, false, []string{`"healthy":false`, `{"check":"device","of":"b","verdict":"wrong"`}},
	} {
		var out bytes.Buffer
		c := &call{Program: &Program{Stdout: &out}, json: tt.json}
		if err := printPair(c, r, tt.markdown); err != nil || strings.ContainsRune(out.String(), '\x1b') {
			t.Errorf("%v, %q", err, out.String())
		}
		for _, want := range tt.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q lacks %q", out.String(), want)
			}
		}
	}
	r.Findings = r.Findings[:1]
	if got := healthy(r); got != "nothing is wrong: 1 of 1 checks were made, and all are right" {
		t.Error(got)
	}
}

// TestNotInstalled: the remedy names the program only where it is the program that is not there.
func TestNotInstalled(t *testing.T) {
	for said, want := range map[string]bool{
		"exit status 127": true,
		`exit status 1: exec of "rdmatui" failed: No such file or directory`:             true,
		"exit status 127: bash: line 1: rdmatui: command not found":                      true,
		`exit status 126: exec: "rdmatui": executable file not found in $PATH`:           true,
		`exit status 255: Cannot open network namespace "pa": No such file or directory`: false,
		"exit status 255: ssh: Could not resolve hostname b: Name or service not known":  false,
	} {
		if got := notInstalled(said, "rdmatui") != ""; got != want {
			t.Errorf("%s: %t", said, got)
		}
	}
}
