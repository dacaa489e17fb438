package post

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
)

// TestChained: a refused chain names the request that was refused. A provider that accepts all requests and still fails
// has refused none.
func TestChained(t *testing.T) {
	s := core.New(core.Options{}, core.Wiring{
		Hint:   func(c *core.Call, _ error) string { return c.Cmd.String("wr_id") },
		Record: func(*core.Session) core.Recorder { return nil },
		Close:  func(*core.Session) error { return nil },
	})
	defer s.Close()
	links := make([]link, 2)
	for i, line := range []string{"post_send a SEND wr_id=7", "post_recv a wr_id=8"} {
		cmd, err := command.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		links[i].call = &core.Call{S: s, Cmd: cmd}
	}
	for _, tt := range []struct {
		posted     int
		want, hint string
	}{
		{0, "bad_wr is request 1 of 2 (SEND, wr_id 7); none was posted: no buffer space available", "7"},
		{1, "bad_wr is request 2 of 2 (RECV, wr_id 8); the one before it was posted: no buffer space available", "8"},
		{2, "no buffer space available", ""},
	} {
		c := &core.Call{S: s}
		err := chained(c, links, tt.posted, syscall.ENOBUFS, 0)
		if !errors.Is(err, syscall.ENOBUFS) || err.Error() != tt.want || c.Done.Hint != tt.hint {
			t.Errorf("%d posted: %q with the hint %q, want %q with %q", tt.posted, err, c.Done.Hint, tt.want, tt.hint)
		}
	}
}
