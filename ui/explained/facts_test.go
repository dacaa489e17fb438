package explained_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rdmatui/assets/explain"
	"rdmatui/session/command"
	"rdmatui/session/lab"
	"rdmatui/ui/tour"
	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/race"
)

// passage is a text that people read: one field of an entry, one paragraph, or a comment with the line below it.
type passage struct {
	place, text string
	script      string // what a text of a head is about
}

// fact is a pattern of statements about something that the code knows.
type fact struct {
	in   string // pattern of the places; "" means everywhere
	says string // pattern of the statement; its groups are what holds tells about
	// holds returns what the statement should say, "" if it is right. nil: a fact that no code knows; why says whose.
	holds func(place string, m []string) string
	why   string
}

// TestFactsOfCode holds the numbers and names in the texts against the code that knows them.
func TestFactsOfCode(t *testing.T) {
	race.Needless(t)
	all := passages(t)
	known := make([][][]int, len(all))
	for _, f := range facts {
		if (f.holds == nil) == (f.why == "") {
			t.Errorf("%q has either what holds it or a reason why nothing does", f.says)
		}
		in, says := regexp.MustCompile(f.in), regexp.MustCompile(f.says)
		matched := false
		for i, p := range all {
			if !in.MatchString(p.place) {
				continue
			}
			for _, at := range says.FindAllStringSubmatchIndex(p.text, -1) {
				matched = true
				known[i] = append(known[i], at[:2])
				var m []string
				for g := 0; g < len(at); g += 2 {
					m = append(m, p.text[max(at[g], 0):max(at[g+1], 0)])
				}
				if f.holds == nil {
					continue
				}
				if want := f.holds(p.place, m); want != "" {
					t.Errorf("%s says %q, want %s", p.place, m[0], want)
				}
			}
		}
		if !matched {
			t.Errorf("nothing says %q in %q: the fact is not needed", f.says, f.in)
		}
	}
	for i, p := range all {
		if !counted.MatchString(p.place) {
			continue
		}
		comment, line, _ := strings.Cut(p.text, below)
		for _, at := range numbers.FindAllStringSubmatchIndex(comment, -1) {
			n := strings.TrimSuffix(comment[at[2]:at[3]], ",")
			if n == "0" || n == "1" || contains(line+p.script, n) {
				continue
			}
			if !within(at[2], at[2]+len(n), known[i]) {
				t.Errorf("%s: no fact knows %s in %q", p.place, n, p.text)
			}
		}
	}
}

// numbers finds numbers in a text, but none that are parts of names such as rxe0 or v2.
var numbers = regexp.MustCompile(`(?:^|[^\w.\-])(0x[0-9a-f]+|[0-9][0-9,]*(?:\.[0-9]+)?)`)

// contains reports whether a line of a script has a number.
func contains(line, n string) bool {
	return slices.Contains(regexp.MustCompile(`0x[0-9a-f]+|\d+`).FindAllString(line, -1), n)
}

func within(from, to int, spans [][]int) bool {
	for _, s := range spans {
		if s[0] <= from && to <= s[1] {
			return true
		}
	}
	return false
}

// passages returns all texts that are checked.
func passages(t *testing.T) (all []passage) {
	t.Helper()
	root := filepath.Join("..", "..")
	for name, text := range files(t, filepath.Join(root, "assets", "explain"), ".txt") {
		all = append(all, entries(name, text)...)
	}
	for _, dir := range []string{"lab", "scenarios"} {
		for name, text := range files(t, filepath.Join(root, "assets", dir), ".rdma") {
			all = append(all, comments(dir+" "+name, text)...)
		}
	}
	for _, c := range command.Commands {
		all = append(all, passage{place: "command " + c.Name, text: c.Summary})
		for _, a := range c.Args {
			all = append(all, passage{place: "command " + c.Name + " " + a.Name, text: a.Doc})
		}
	}
	for _, x := range tour.All {
		texts := append(x.Learned[:], x.About, x.Next)
		for _, s := range x.Steps {
			texts = append(texts, s.Name, s.Why)
			for _, m := range s.Moves {
				texts = append(texts, m.Does)
			}
		}
		for _, text := range texts {
			all = append(all, passage{place: "tour " + x.ID, text: text})
		}
	}
	for name, page := range files(t, filepath.Join(root, "assets", "manual"), ".md") {
		for part := range strings.SplitSeq(page, "\n\n") {
			all = append(all, passage{place: "manual " + name, text: strings.ReplaceAll(part, "\n", " ")})
		}
	}
	return all
}

// files returns the texts below a directory by the names of their files.
func files(t *testing.T, dir, ext string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ext {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[strings.TrimSuffix(name, ext)] = string(text)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatal(dir, err)
	}
	return all
}

var (
	entryHead = regexp.MustCompile(`^\[([^]]+)\]`)
	fieldHead = regexp.MustCompile(`^([a-z]+): (.*)`)
)

// entries splits a file of explanations into the fields of its entries. The places are "qp_attr timeout means". Both
// texts of [[one|other]] are checked.
func entries(family, text string) (all []passage) {
	entry, open := "", false
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if m := entryHead.FindStringSubmatch(l); m != nil {
			entry, open = m[1], false
		} else if m := fieldHead.FindStringSubmatch(l); m != nil {
			open = !unread[m[1]]
			if open {
				all = append(all, passage{place: family + " " + entry + " " + m[1], text: m[2]})
			}
		} else if rest := strings.TrimSpace(l); open && rest != "" && strings.HasPrefix(l, " ") {
			all[len(all)-1].text += " " + rest
		}
	}
	return all
}

// unread are the fields that hold words to look up and where a text comes from.
var unread = map[string]bool{"also": true, "source": true, "see": true, "words": true, "line": true,
	"clause": true, "differs": true, "needs": true}

// comments splits a script into the fields of its head and its comments, each with the line below it. The places are
// "lab bad-rkey says" and "lab bad-rkey".
func comments(place, text string) (all []passage) {
	head, body, found := strings.Cut(text, "\n\n")
	if !found || !strings.HasPrefix(head, "# title: ") && !strings.HasPrefix(head, "# rule: ") {
		head, body = "", text
	}
	open := false
	for l := range strings.Lines(head) {
		l = strings.TrimSuffix(strings.TrimPrefix(l, "# "), "\n")
		if m := fieldHead.FindStringSubmatch(l); m != nil {
			if open = !unread[m[1]]; open {
				all = append(all, passage{place + " " + m[1], m[2], body})
			}
		} else if open {
			all[len(all)-1].text += " " + strings.TrimSpace(l)
		}
	}
	said := ""
	for l := range strings.Lines(body) {
		l = strings.TrimSpace(l)
		if c, is := strings.CutPrefix(l, "# "); is {
			said = strings.TrimSpace(said + " " + c)
			continue
		}
		if said != "" {
			all = append(all, passage{place: place, text: said + below + l})
		}
		said = ""
	}
	return all
}

// below separates a comment from the line below it.
const below = " ⏎ "

// TestLabNamesStatuses: what the specification says of an experiment names each failure that its ends see.
func TestLabNamesStatuses(t *testing.T) {
	all, err := lab.Experiments()
	if err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile(statusPattern())
	for _, e := range all {
		named := map[string]bool{"SUCCESS": true, lab.None: true, lab.Any: true}
		for _, s := range words.FindAllString(e.Says, -1) {
			named[statusWords[s].String()] = true
		}
		for _, of := range []string{lab.Requester, lab.Responder} {
			for _, s := range strings.Fields(e.Specified(of)) {
				if !named[s] {
					t.Errorf("%s: %q does not name %s, which the %s sees", e.Name, e.Says, s, of)
				}
			}
		}
	}
}

// TestNamesExist: a name in capitals in a text is one that C, the operating system or this program has.
func TestNamesExist(t *testing.T) {
	known := map[string]bool{}
	for _, word := range slices.Concat(verbs.MWTypes.Names(), verbs.DataInOrderNames.Names(),
		verbs.DataInOrderFlagNames.Names(), foreignNames) {
		known[word] = true
	}
	all := passages(t)
	for _, f := range explain.Families() {
		for i := range f.Entries {
			e := &f.Entries[i]
			for _, name := range append([]string{e.Name, e.CName}, e.Aliases...) {
				for _, word := range capitals.FindAllString(name, -1) {
					known[word] = true
				}
			}
		}
	}
	for _, p := range all {
		if !counted.MatchString(p.place) {
			continue
		}
		for _, word := range capitals.FindAllString(p.text, -1) {
			if !known[word] {
				t.Errorf("%s: there is no %s in %q", p.place, word, p.text)
			}
		}
	}
}

// foreignNames are names of others: packages, C, Linux, libraries, and messages of a scenario's partner.
var foreignNames = []string{"MLNX_OFED", "SIZE_MAX", "AF_IB", "CAP_NET_RAW", "CAP_IPC_LOCK", "RAI_PASSIVE",
	"IBV_QPF_GRH_REQUIRED",
	"SRQ_RECV", "MSG_DONE", "MSG_MR", "AF_INET", "AF_INET6", "NCCL_DEBUG_SUBSYS", "FI_LOG_PROV", "CMP_AND_SWAP"}

var capitals = regexp.MustCompile(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)
