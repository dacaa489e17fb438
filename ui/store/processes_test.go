package store

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	writerName = "RDMATUI_TEST_WRITER" // names the process that TestWriter is
	rounds     = 40
)

// writerChoices are settings that the processes choose, one each.
var writerChoices = []string{"theme", "mouse", "strip"}

// TestWriter is one of the processes of TestProcesses, which names it.
func TestWriter(t *testing.T) {
	name := os.Getenv(writerName)
	if name == "" {
		return // there is nothing to write
	}
	r := rig{t, FoldersFrom(os.Getenv)}
	s := r.open()
	for i := range rounds {
		s.AddHistory(fmt.Sprintf("note %s %d", name, i))
		s.Remember(fmt.Sprintf("tour.%s.%d", name, i), "done")
		r.save(s)
		if err := s.KeepSession([]string{"note " + name, fmt.Sprintf("note %d", i)}, false); err != nil {
			t.Fatal(err)
		}
	}
	values := map[string]string{"theme": "light", "mouse": "false", "strip": "last"}
	key := writerChoices[name[0]-'a']
	if err := s.Choose(key, values[key]); err != nil {
		t.Fatal(err)
	}
	r.save(s)
}

// TestProcesses: several processes that write at the same time lose no line of the history, no tour and no choice, and
// each one's lines keep their order.
func TestProcesses(t *testing.T) {
	r := newRig(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var all []*exec.Cmd
	for i := range writerChoices {
		c := exec.Command(self, "-test.run=^TestWriter$")
		c.Env = append(os.Environ(), writerName+"="+string(rune('a'+i)), "XDG_CONFIG_HOME="+strings.TrimSuffix(r.Config,
			"/rdmatui"), "XDG_STATE_HOME="+strings.TrimSuffix(r.State, "/rdmatui"))
		c.Stdout, c.Stderr = t.Output(), t.Output()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	s := r.open()
	last, err := LastSession(r.Folders, func(string) error { return nil })
	if err != nil || len(last.Lines) != 2 || last.Lines[1] != fmt.Sprintf("note %d", rounds-1) {
		t.Errorf("the last session is %+v, %v", last, err)
	}
	for i, key := range writerChoices {
		name := string(rune('a' + i))
		var own []string
		for _, l := range s.History() {
			if strings.HasPrefix(l, "note "+name+" ") {
				own = append(own, l)
			}
		}
		want := make([]string, rounds)
		for n := range want {
			want[n] = fmt.Sprintf("note %s %d", name, n)
			if s.Recall(fmt.Sprintf("tour.%s.%d", name, n)) != "done" {
				t.Errorf("the tour %d of %s is lost", n, name)
			}
		}
		if !slices.Equal(own, want) {
			t.Errorf("of %s the history has %q", name, own)
		}
		if !strings.Contains(r.read(r.Config, configName), key+" = ") {
			t.Errorf("the choice of %s is lost:\n%s", key, r.read(r.Config, configName))
		}
	}
}
