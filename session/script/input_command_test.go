package script_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
)

// TestInput writes typed text into a region.
func TestInput(t *testing.T) {
	for name, c := range map[string]struct {
		empty int    // empty or blank lines before the line
		typed string // the line; "" and eof: none
		eof   bool
		line  string // the command
		want  string // the region up to the zeros, or the error
		fails bool
	}{
		"a line":             {typed: "hello", line: "input m", want: "hello"},
		"empty lines first":  {empty: 3, typed: "x", line: "input m", want: "x"},
		"the end after none": {empty: 1, eof: true, line: "input m end=bye", want: "bye"},
		"too long":           {typed: "0123456789abcdef", line: "input m", want: "0123456"},
		"half a character":   {typed: "012345\u00e9", line: "input m", want: "012345"},
		"a zero in it":       {typed: "a\x00b", line: "input m", want: "a\x00b"},
		"the end":            {eof: true, line: "input m", want: "the input has ended", fails: true},
		"the end has a text": {eof: true, line: "input m end=bye", want: "bye"},
	} {
		t.Run(name, func(t *testing.T) {
			prompts := ""
			s, _ := sessiontest.NewFaked(t, core.Options{Input: func(_ context.Context, prompt string) (string, error) {
				if prompts = prompt; c.empty > 0 {
					c.empty--
					return strings.Repeat(" ", c.empty), nil
				}
				if c.eof {
					return "", io.EOF
				}
				return c.typed, nil
			}})
			sessiontest.RunLines(t, s, "open_device\nalloc_pd\nreg_mr m length=8\nwrite_mem m \"????????\"")
			_, err := s.Exec(t.Context(), c.line)
			if c.fails {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, not %q", err, c.want)
				}
				return
			}
			got := make([]byte, 8)
			if _, err := s.ReadMem("m", 0, got); err != nil {
				t.Fatal(err)
			}
			if err != nil || strings.TrimRight(string(got), "\x00") != c.want || prompts != "input" {
				t.Errorf("%q, %v, asked for %q", got, err, prompts)
			}
		})
	}
}

// TestInputFails: input fails if there is no terminal, or if the wait is stopped.
func TestInputFails(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunLines(t, s, "open_device\nalloc_pd\nreg_mr m length=8")
	if _, err := s.Exec(t.Context(), "input m"); err == nil ||
		!strings.Contains(err.Error(), "input needs a terminal") {
		t.Error(err)
	}
	asked := make(chan struct{})
	s, _ = sessiontest.NewFaked(t, core.Options{Input: func(ctx context.Context, _ string) (string, error) {
		close(asked)
		<-ctx.Done()
		return "", ctx.Err()
	}})
	sessiontest.RunLines(t, s, "open_device\nalloc_pd\nreg_mr m length=8")
	ended := make(chan error, 1)
	go func() {
		_, err := s.Exec(t.Context(), "input m")
		ended <- err
	}()
	<-asked
	s.StopWaiting()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestCopyMem copies between regions, up to the ends of both.
func TestCopyMem(t *testing.T) {
	for line, want := range map[string]string{
		"copy_mem a b length=4":                             "0123????",
		"copy_mem a b length=4 from_offset=2":               "2345????",
		"copy_mem a b length=4 to_offset=6":                 "??????01",
		"copy_mem a b length=100":                           "01234567",
		"copy_mem a b length=100 from_offset=6 to_offset=5": "?????67?",
		"copy_mem a b length=1 to_offset=8":                 "????????",
		"copy_mem b b length=4 to_offset=4":                 "????????",
	} {
		s, _ := sessiontest.NewFaked(t, core.Options{})
		sessiontest.RunLines(t, s, "open_device\nalloc_pd\nreg_mr a length=8\nreg_mr b length=8\nwrite_mem a \"01234567\"\nwrite_mem b \"????????\"")
		d := sessiontest.Execute(t, s, line)
		if n := strings.Fields(d.Result); len(n) != 3 || n[1]+n[2] != "bytescopied" {
			t.Errorf("%s: result %q", line, d.Result)
		}
		got := make([]byte, 8)
		if _, err := s.ReadMem("b", 0, got); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunLines(t, s, "open_device\nalloc_pd\nreg_mr a length=8\nreg_mr b length=8")
	for _, line := range []string{"copy_mem a b length=1 from_offset=9223372036854775807",
		"copy_mem a b length=1 to_offset=9"} {
		if _, err := s.Exec(t.Context(), line); err == nil || !strings.Contains(err.Error(), "is beyond the end") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
