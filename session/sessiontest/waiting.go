package sessiontest

import (
	"context"

	"rdmatui/session"
	"rdmatui/session/timeline"
)

// Begin runs a line in a goroutine.
func Begin(ctx context.Context, s *session.Session, line string) <-chan timeline.CommandDone {
	ended := make(chan timeline.CommandDone, 1)
	go func() {
		done, _ := s.Exec(ctx, line) // done holds the error
		ended <- done
	}()
	return ended
}
