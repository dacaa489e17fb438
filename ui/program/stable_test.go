package program

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rdmatui/ui/cli"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
	"rdmatui/verbs/verbstest/race"
)

// keep is for a release that is to be kept: its folder must have scripts and files, and a list of commands.
var keep = flag.String("keep", "", "write the JSON and the language of this program to testdata/stable/VERSION")

// eachKept calls check in the folder of each release whose samples are kept. What they promise is in the manual's page
// stability.
func eachKept(t *testing.T, check func(t *testing.T)) {
	t.Helper()
	folders, err := filepath.Glob("testdata/stable/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Chdir(folder)
			check(t)
		})
	}
}

// keptText returns a kept text; with -keep for this release it first writes the present one.
func keptText(t *testing.T, name, present string) string {
	t.Helper()
	if folder, err := os.Getwd(); err == nil && filepath.Base(folder) == *keep {
		if err := os.WriteFile(name, []byte(present), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// keptCommand is a row of a list of commands.
type keptCommand struct {
	name   string
	status int
	args   []string
	varied []string // fields that not every host has
}

func keptCommands(t *testing.T) (all []keptCommand) {
	t.Helper()
	text, err := os.ReadFile("commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		if strings.HasPrefix(l, "#") {
			continue
		}
		row, varied, _ := strings.Cut(l, ";")
		words := strings.Fields(row)
		status, err := strconv.Atoi(words[1])
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		all = append(all, keptCommand{words[0], status, append(words[2:], "--json"), strings.Fields(varied)})
	}
	return all
}

// play runs the command, with a server of its own kind if it names a host, and returns what it prints.
func (c keptCommand) play(t *testing.T) string {
	t.Helper()
	host := slices.Index(c.args, "HOST")
	if host < 0 {
		out, stderr, status := invoke(t, "", append([]string{"--provider", "soft"}, c.args...)...)
		if status != c.status {
			t.Fatalf("exit status %d, want %d: %s", status, c.status, stderr)
		}
		return out
	}
	port := freePort()
	at := []string{"--provider", "soft", "-p", port, "-d", "soft0"}
	server := slices.Concat(c.args[:host], at)
	if c.args[0] == "scenario" {
		server = append(server, "--server")
	}
	at[len(at)-1] = "soft1"
	client := slices.Concat(c.args[:host], at, []string{"127.0.0.1"}, c.args[host+1:])
	serving := start(t, binary(t), server...)
	serving.listening(port)
	said := prepare(t, binary(t), client...)
	var out bytes.Buffer
	said.cmd.Stdout = &out
	if err := said.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bothDone(t, said, serving)
	return out.String()
}

// TestStableJSON: each field that a release printed is still printed, with its type.
func TestStableJSON(t *testing.T) {
	race.Needless(t)
	eachKept(t, func(t *testing.T) {
		for _, c := range keptCommands(t) {
			t.Run(c.name, func(t *testing.T) {
				present := c.play(t)
				kept := keptText(t, c.name+".jsonl", present)
				for _, complaint := range lost(typesOf(t, kept), typesOf(t, present), c.varied) {
					t.Error(complaint)
				}
			})
		}
	})
}

// TestStableIncident: an incident's document has the sections that it had.
func TestStableIncident(t *testing.T) {
	eachKept(t, func(t *testing.T) {
		script, err := os.ReadFile("scripts/journal.rdma")
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "incident")
		if _, stderr, status := invoke(t, string(script)+"save_incident "+strconv.Quote(name)+"\n",
			"--provider", "soft", "run", "-"); status != cli.Done {
			t.Fatalf("exit status %d: %s", status, stderr)
		}
		present, kept := sections(t, name+".md"), sections(t, "files/incident.md")
		if len(kept) < 5 {
			t.Fatalf("only %d sections are kept", len(kept))
		}
		for _, s := range kept {
			if !slices.Contains(present, s) {
				t.Errorf("there is no section %q", s)
			}
		}
	})
}

// sections returns the headings of a Markdown file.
func sections(t *testing.T, name string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		if strings.HasPrefix(l, "#") {
			all = append(all, strings.TrimSpace(l))
		}
	}
	return all
}

// TestStableFolders: settings, the state and the history of a release are read.
func TestStableFolders(t *testing.T) {
	eachKept(t, func(t *testing.T) {
		kept, problems := store.Open(store.Folders{Config: "files", State: "files"}, store.NewSettings(theme.Names))
		for _, err := range problems {
			t.Error(err)
		}
		for key, want := range map[string]string{"theme": "contrast", "glyphs": "ascii", "strip": "pane",
			"mouse": "false", "history": "500", "incidents": "5", "recorder": "64"} {
			if got := kept.Choice(key); got != want {
				t.Errorf("the setting %s is %q, want %q", key, got, want)
			}
		}
		for key, want := range map[string]string{store.Strip: "line", store.Address: "192.0.2.7"} {
			if got := kept.Recall(key); got != want {
				t.Errorf("the state %s is %q, want %q", key, got, want)
			}
		}
		if got := kept.History(); !slices.Equal(got, []string{"open_device soft0", `write_mem src "a b"`}) {
			t.Errorf("the history is %q", got)
		}
	})
}
