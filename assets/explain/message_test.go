package explain

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"rdmatui/verbs/verbstest/race"
)

func TestMessageFiles(t *testing.T) {
	total, seen := 0, map[string]string{}
	for _, name := range messageFileNames() {
		content, err := fs.ReadFile(messageFiles, name)
		if err != nil {
			t.Fatal(err)
		}
		all, err := parseMessages(name, string(content))
		if err != nil {
			t.Error(err)
			continue
		}
		total += len(all)
		for _, m := range all {
			if other := seen[m.speaker+m.Name]; other != "" {
				t.Errorf("%s: %q is in %s as well", name, m.Name, other)
			}
			seen[m.speaker+m.Name] = name
			if len(m.Short) > 200 || m.Short == "" {
				t.Errorf("%s: %q: says is empty or too long", name, m.Name)
			}
			for _, s := range m.see {
				if _, ok := Find(s.family, s.name); !ok {
					t.Errorf("%s: %q: there is no %s %s", name, m.Name, s.family, s.name)
				}
			}
			if m.verb != "" && !theIndex().verbs[m.verb] && theIndex().contexts[key(m.verb)] == nil {
				t.Errorf("%s: %q: no entry knows the verb %s", name, m.Name, m.verb)
			}
		}
	}
	if total < 1200 {
		t.Errorf("%d messages, fewer than 1,200", total)
	}
}

// filled is a message as it is printed: each conversion is replaced by something that says nothing.
func filled(format string) string {
	return cEscapes.Replace(unfilled(format, func(c string) string {
		switch c[len(c)-1] {
		case 's', 'S', 'c':
			return "xyz"
		case 'm':
			return "Success"
		}
		return "777777"
	}))
}

// answering are the families that a message may be answered from, rather than by its own text: a status, an event, an
// errno or a pattern says at least as much.
var answering = []string{"log", "verb_errno", "errno", "wc_status", "cm_event", "cm_status", "reject_reason",
	"async_event", "efa_status"}

// TestMessages: each message as its source prints it is answered by what is known of it, or of one in the same words.
func TestMessages(t *testing.T) {
	race.Needless(t)
	for _, m := range theMessages().all {
		line := m.speaker + ": " + filled(m.Name)
		a := Read(line)
		if len(a.Entries) == 0 {
			t.Errorf("%q: nothing", line)
			continue
		}
		first := a.Entries[0]
		if first.Family == MessageFamily && !strings.EqualFold(wordsOf(first.Name), wordsOf(m.Name)) ||
			first.Family != MessageFamily && !slices.Contains(answering, first.Family) {
			t.Errorf("%q: %s %s", line, first.Family, first.Name)
		}
	}
}

// wordsOf are the words of a format, without what is filled in.
func wordsOf(format string) string {
	segments, _ := segmentsOf(format)
	return strings.Join(slices.Concat(segments...), " ")
}

// TestMessageInLine: a message of few words, or of words that many messages have, counts where its speaker is named,
// or where a program says nothing else.
func TestMessageInLine(t *testing.T) {
	const rows = `revision: none
speaker: frobd
file: a.c

frobnicator melted
  says: few words
the frobnicator of the %s has melted away
  says: many words
cannot open device
  says: common words
speaker: kernel: frobmod
gearbox jammed
  says: few words of the kernel
`
	all, err := parseMessages("rows", rows)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"[3] app[7]: frobnicator melted":                                                      "few words",
		"[3] app[7]: frobnicator melted at once":                                              "few words",
		"[3] app[7]: frobnicator melted at once too":                                          "",
		"app: we saw that the frobnicator melted":                                             "",
		"a b c frobnicator melted":                                                            "few words",
		"a b c d frobnicator melted":                                                          "",
		"frobd: we saw that the frobnicator melted":                                           "few words",
		"a line in which the frobnicator of the x y has melted away, and more words than two": "many words",
		"frobnicator of the x has melted away":                                                "",
		"app: cannot open device":                                                             "",
		"frobd: so I cannot open device 3 or any":                                             "common words",
		"gearbox jammed":                                                                      "",
		"frobmod: gearbox jammed":                                                             "few words of the kernel",
		"libfrobmod: what a gearbox jammed in there":                                          "",
		"x_frobmod: what a gearbox jammed in there":                                           "few words of the kernel",
	} {
		got := ""
		for _, m := range all {
			if m.in(newLogLine(1, line, wordAll)) {
				got = m.Short
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
