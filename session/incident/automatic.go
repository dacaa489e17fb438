package incident

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
)

const (
	// MaxAutomatic bounds the incident files that a session writes automatically.
	MaxAutomatic = 100
	// settled is how long after a failure its file is written, so that it has the flushes and state changes that
	// follow.
	settled = 500 * time.Millisecond
	// automaticMinutes is how much time before the failure such a file covers.
	automaticMinutes = 5 * time.Minute
)

// recorder is what a session writes automatically.
type recorder struct {
	mu      sync.Mutex
	dir     string
	limit   int
	written int

	writing sync.Mutex // one at a time: each copies the time line
}

func recorderOf(s *core.Session) *recorder { return core.Part[recorder](s, nil) }

// WriteAutomatically makes the session write the incidents that follow to a directory, at most limit in total.
func WriteAutomatically(s *core.Session, dir string, limit int) {
	a := recorderOf(s)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dir, a.limit = dir, min(limit, MaxAutomatic)
}

// found has an incident written in the background, unless enough are.
func (a *recorder) found(s *core.Session, number uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.written >= a.limit || s.Opts.NoFiles {
		return
	}
	name := filepath.Join(a.dir, fmt.Sprintf("incident-%s-%d", time.Now().Format("20060102-150405"), number))
	if s.Companions.Start(s.Opts.Crashed, func() { write(s, number, name) }) {
		a.written++
	}
}

// write writes an incident once what follows it has been recorded, at the latest when the session closes.
func write(s *core.Session, number uint64, name string) {
	select {
	case <-s.Ctx.Done():
	case <-time.After(settled):
	}
	in, ok := Of(s, number)
	if !ok {
		return
	}
	a := recorderOf(s)
	a.writing.Lock()
	defer a.writing.Unlock()
	if text, err := save(s.Ctx, s, &in, name, automaticMinutes); err != nil {
		s.Note(timeline.LevelWarn, "incident %d: %v", number, err)
	} else {
		s.Note(timeline.LevelInfo, "%s", text)
	}
}
