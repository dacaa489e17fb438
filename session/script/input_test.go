package script

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
)

// connected is an identifier whose connection lasts for a number of checks.
type connected struct {
	core.Body
	lasts, checks int
	err           error
}

func (c *connected) Connected(context.Context, *core.Session) (bool, error) {
	c.checks++
	return c.checks <= c.lasts, c.err
}

// TestAskWhileConnected: while a person types, the connection is checked ten times a second; the question ends with it.
func TestAskWhileConnected(t *testing.T) {
	errTyping := errors.New("the terminal is gone")
	for _, tt := range []struct {
		name   string
		id     connected
		types  time.Duration // how long the person takes
		fails  error         // of the terminal
		stops  time.Duration // when the command is stopped; 0: never
		checks int
		took   time.Duration
		want   string // the error
	}{
		{"types in time", connected{lasts: 100}, 950 * time.Millisecond, nil, 0, 10, 950 * time.Millisecond, ""},
		{"connection ends", connected{lasts: 3}, time.Hour, nil, 0, 4, 300 * time.Millisecond,
			"id is no longer connected"},
		{"check fails", connected{lasts: 100, err: errors.New("no events")}, time.Hour, nil, 0, 1, 0,
			"id is no longer connected"},
		{"terminal fails", connected{lasts: 100}, 50 * time.Millisecond, errTyping, 0, 1, 50 * time.Millisecond,
			errTyping.Error()},
		{"stopped", connected{lasts: 100}, time.Hour, nil, 250 * time.Millisecond, 3, 250 * time.Millisecond,
			context.Canceled.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &core.Session{Opts: core.Options{Input: func(ctx context.Context, _ string) (string, error) {
					select {
					case <-time.After(tt.types):
						return "typed", tt.fails
					case <-ctx.Done():
						return "", ctx.Err()
					}
				}}}
				id := tt.id
				s.Graph.Add(&core.Node{Name: "id", Kind: command.KindID, Body: &id})
				cmd, err := command.Parse("input m while=id")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.stops > 0 {
					time.AfterFunc(tt.stops, cancel)
				}
				c := &core.Call{S: s, Ctx: ctx, Cmd: cmd}
				whom, err := c.WhileArg()
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				line, err := ask(c, whom)
				if took := time.Since(began); took != tt.took || id.checks != tt.checks {
					t.Errorf("%d checks in %v, want %d in %v", id.checks, took, tt.checks, tt.took)
				}
				if err != nil && err.Error() != tt.want || err == nil && (tt.want != "" || line != "typed") {
					t.Errorf("%q, %v; want %q", line, err, tt.want)
				}
			})
		})
	}
}
