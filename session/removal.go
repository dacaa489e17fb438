package session

import (
	"context"
	"slices"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

const (
	// removalCheck is how often the host is asked whether an open device is still there.
	removalCheck = 2 * time.Second
	// removalGrace is how long the command under way has to end by itself.
	removalGrace = time.Second
)

// watchRemoval passes on what the provider has to say while a device is open, and gives
// the device back once the host removes it: the kernel waits with that until no program
// has the device open, and the drivers that make it wait, such as rdma_rxe, tell the
// programs nothing. It ends with ctx.
func watchRemoval(s *base, ctx context.Context, d *device, p verbs.Provider) {
	if d.injector != nil {
		return // the software device is nobody's to remove
	}
	s.companions.start(s.opts.Crashed, func() { // a session that is being closed needs no watch
		every := time.NewTicker(removalCheck)
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.ctx.Done():
				return
			case <-every.C:
			}
			passOnNotes(s, p, d.info.Name)
			infos, err := devicesOf(s, s.ctx, p)
			if err == nil && !slices.ContainsFunc(infos, d.isThe) {
				hostRemoves(s, d)
				return
			}
		}
	})
}

// isThe reports whether a device of the list is this one, which may have another name
// by now.
func (d *device) isThe(info verbs.DeviceInfo) bool {
	return info.Name == d.info.Name || info.DevName != "" && info.DevName == d.info.DevName
}

// hostRemoves destroys a device that the host removes, and all that was made from it.
func hostRemoves(s *base, d *device) {
	s.note(timeline.LevelWarn, "the host removes %s; the kernel waits for this program, so what was made from it is destroyed", d.name)
	soon, cancel := context.WithTimeout(s.ctx, removalGrace)
	err := s.acquire(soon)
	cancel()
	if err != nil {
		s.StopWaiting()
		if s.acquire(s.ctx) != nil {
			return
		}
	}
	defer s.release() // the session is not closed: its context ends before
	left := s.takeDown(func(n *node) bool { return n.device() == d.node })
	if len(left) == 0 {
		s.note(timeline.LevelWarn, "%s was removed and is closed", d.name)
	}
}
