package program

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	language "rdmatui/session/command"
)

// TestStableLanguage: what a line could say to a release it can still say, and no argument has become necessary.
func TestStableLanguage(t *testing.T) {
	eachKept(t, func(t *testing.T) {
		kept := keptText(t, "language.txt", spoken())
		if strings.Count(kept, "\n") < 300 {
			t.Fatal("hardly any command is kept")
		}
		for _, complaint := range missed(kept, spoken()) {
			t.Error(complaint)
		}
	})
}

// TestStableFlags: each command and flag of the command line is still there.
func TestStableFlags(t *testing.T) {
	eachKept(t, func(t *testing.T) {
		kept, present := keptText(t, "flags.txt", flags(t)), flags(t)
		if strings.Count(kept, "\n") < 100 {
			t.Fatal("hardly any flag is kept")
		}
		for l := range strings.Lines(kept) {
			if !strings.Contains("\n"+present, "\n"+l) {
				t.Errorf("the command line has no %s", l)
			}
		}
	})
}

// flags lists every command with each of its flags, as the shell's completion offers them.
func flags(t *testing.T) string {
	t.Helper()
	var list func(path []string) []string
	offered := func(path []string, start string) (words []string) {
		out, _, _ := invoke(t, "", slices.Concat([]string{"__complete"}, path, []string{start})...)
		for l := range strings.Lines(out) {
			if word, _, about := strings.Cut(strings.TrimSpace(l), "\t"); about {
				words = append(words, word)
			}
		}
		return words
	}
	list = func(path []string) (lines []string) {
		for _, flag := range offered(path, "--") {
			lines = append(lines, strings.Join(append(slices.Clone(path), flag), " "))
		}
		if len(path) == 0 || path[0] == "bench" && len(path) == 1 {
			for _, sub := range offered(path, "") {
				lines = append(lines, list(append(slices.Clone(path), sub))...)
			}
		}
		return lines
	}
	return strings.Join(list(nil), "\n") + "\n"
}

var typeNames = [...]string{language.Word: "word", language.Text: "text", language.NewFile: "file",
	language.NewName: "name", language.Object: "object", language.Uint: "number", language.Addr: "address",
	language.Duration: "duration", language.Share: "share", language.Bool: "bool", language.Choice: "choice",
	language.FlagSet: "flags", language.GIDValue: "gid", language.SGEList: "sges", language.Bytes: "bytes",
	language.Backing: "backing", language.Errno: "errno", language.Line: "line"}

// spoken lists each argument of each command of a session, and what it takes.
func spoken() string {
	var b strings.Builder
	for _, s := range language.Commands {
		b.WriteString(s.Name + "\n")
		for place, a := range s.Args {
			words := []string{s.Name + ":", a.Name, typeNames[a.Type]}
			if a.Positional {
				words = append(words, "place="+strconv.Itoa(place))
			}
			if a.Default != "" {
				words = append(words, "default="+strconv.Quote(a.Default))
			}
			words = append(words, a.Choices...)
			b.WriteString(strings.Join(words, " ") + "\n")
			if a.Required {
				b.WriteString(s.Name + ": needs " + a.Name + "\n")
			}
		}
	}
	return b.String()
}

// missed compares the lines of two listings of the language.
func missed(kept, present string) (complaints []string) {
	were, are := argumentsOf(kept), argumentsOf(present)
	for id, was := range were {
		is, ok := are[id]
		if !ok && !strings.Contains(id, ": needs ") {
			complaints = append(complaints, "the language has no "+id)
		}
		for _, word := range was {
			if ok && !slices.Contains(is, word) {
				complaints = append(complaints, id+": no "+word)
			}
		}
	}
	for id := range are {
		name, _, needed := strings.Cut(id, ": needs ")
		if _, had := were[name]; had && needed && were[id] == nil {
			complaints = append(complaints, id+", which it did not before")
		}
	}
	return complaints
}

// argumentsOf returns what follows each command, each argument and each need of a listing.
func argumentsOf(listing string) map[string][]string {
	all := map[string][]string{}
	for l := range strings.Lines(listing) {
		id, rest := strings.TrimSpace(l), []string{}
		if name, about, isArgument := strings.Cut(id, ": "); isArgument && !strings.HasPrefix(about, "needs ") {
			words := strings.Fields(about)
			id, rest = name+": "+words[0], words[1:]
		}
		all[id] = rest
	}
	return all
}

// TestMissed: each change that breaks a line is noticed, and no other.
func TestMissed(t *testing.T) {
	const kept = "reg_mr\nreg_mr: name name place=0\nreg_mr: needs name\nreg_mr: length number default=\"1\"\n" +
		"post_send\npost_send: opcode choice SEND RDMA_READ\n"
	for _, tt := range []struct{ from, to, want string }{
		{"", "", ""},
		{"SEND", "RDMA_WRITE SEND", ""},
		{"reg_mr: needs name\n", "", ""},
		{"post_send\n", "post_send\npost_send: new number\nnew\nnew: a word\nnew: needs a\n", ""},
		{"post_send\n", "post_send\npost_send: needs new\n", "post_send: needs new, which it did not before"},
		{" RDMA_READ", "", "post_send: opcode: no RDMA_READ"},
		{"place=0", "place=1", "reg_mr: name: no place=0"},
		{`"1"`, `"2"`, `reg_mr: length: no default="1"`},
		{"length number", "length word", "reg_mr: length: no number"},
		{"reg_mr: length", "reg_mr: size", "the language has no reg_mr: length"},
	} {
		present := strings.Replace(kept, tt.from, tt.to, 1)
		if got := strings.Join(missed(kept, present), "; "); got != tt.want {
			t.Errorf("%q instead of %q: %q, want %q", tt.to, tt.from, got, tt.want)
		}
	}
}
