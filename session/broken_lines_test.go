package session_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// sparedCalls are calls that a command can do without.
var sparedCalls = map[string][]string{
	"open_device": {"query_port", "query_device_ex"}, // it shows the port as unreadable
	"create_srq":  {"query_srq"},                     // what was granted is then what was asked for
	"poll_cq":     {"read", "query_qp"},              // what a RECV brought and the state are shown
	"post_send":   {"query_qp"},                      // the reader of failed completions asks for the state
}

// unbroken are the lines whose calls do not fail: those that expect an error, and those that carry out other lines,
// some of which are then carried out twice.
var unbroken = regexp.MustCompile("^(expect error|until|repeat|lab) ")

// lineRun carries out the lines of a script in virtual time.
type lineRun struct {
	s *session.Session
	b *breaker
}

func newLineRun() *lineRun {
	p, psn := newBroken(sessiontest.SoftInOrder().(*soft.Provider)), uint32(0)
	return &lineRun{session.New(core.Options{Providers: []verbs.Provider{p},
		Rand: func() uint32 { psn++; return psn }}), p.b}
}

// exec carries out a line, whose n-th call fails, and returns that call.
func (r *lineRun) exec(t *testing.T, line string, n int) (failed string, err error) {
	synctest.Wait() // event readers have finished
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	name, _, _ := strings.Cut(line, " ")
	spared := sparedCalls[name]
	if strings.Contains(line, "en_sqd_async_notify=1") { // the reader of asynchronous events asks for the state
		spared = slices.Concat(spared, []string{"query_qp"})
	}
	r.b.at(n, spared...)
	_, err = r.s.Exec(ctx, line)
	return r.b.at(0), err
}

// objects returns the names of the session's objects.
func (r *lineRun) objects() (names []string) {
	synctest.Wait() // requests have arrived
	for _, o := range r.s.Snapshot().Objects {
		names = append(names, o.Name)
	}
	return names
}

// TestBrokenCalls: a line of which any call to the provider fails tells that error and leaves nothing behind: the next
// attempt to carry it out does what it would have done.
func TestBrokenCalls(t *testing.T) {
	for _, name := range []string{"told_soft"} { // the readers of CM events make calls while a line is carried out
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile("testdata/" + name + ".rdma")
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for line := range strings.Lines(string(script)) {
				if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
					lines = append(lines, line)
				}
			}
			synctest.Test(t, func(t *testing.T) { brokenCalls(t, lines) })
		})
	}
}

func brokenCalls(t *testing.T, lines []string) {
	sound, broken := newLineRun(), newLineRun()
	for _, line := range lines {
		before := broken.objects()
		_, want := sound.exec(t, line, 0)
		for n := 1; ; n++ {
			if unbroken.MatchString(line) {
				n = 0
			}
			failed, err := broken.exec(t, line, n)
			if failed == "" {
				if (err == nil) != (want == nil) {
					t.Errorf("%s: %v, want %v", line, err, want)
				}
				break
			}
			if err != nil && !slices.Equal(broken.objects(), before) {
				t.Errorf("%s: %s failed: there are %v, before %v", line, failed, broken.objects(), before)
			}
			if err == nil || want == nil && !errors.Is(err, errBroken) {
				t.Errorf("%s: %s failed: %v (%d)", line, failed, err, n)
			}
			if err == nil {
				break
			}
		}
	}
	if got, want := broken.objects(), sound.objects(); !slices.Equal(got, want) {
		t.Errorf("there are %v at the end, want %v", got, want)
	}
	for _, r := range []*lineRun{sound, broken} {
		if err := r.s.Close(); err != nil {
			t.Error(err)
		}
	}
}
