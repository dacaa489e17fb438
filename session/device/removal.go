package device

import (
	"context"
	"slices"
	"time"

	"rdmatui/session/core"
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
func watchRemoval(s *core.Session, ctx context.Context, d *Device, p verbs.Provider) {
	if d.injector != nil {
		return // the software device is nobody's to remove
	}
	s.Companions.Start(s.Opts.Crashed, func() { // a session that is being closed needs no watch
		every := time.NewTicker(removalCheck)
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.Ctx.Done():
				return
			case <-every.C:
			}
			PassOnNotes(s, p, d.Info.Name)
			infos, err := List(s, s.Ctx, p)
			if err == nil && !slices.ContainsFunc(infos, d.isThe) {
				hostRemoves(s, d)
				return
			}
		}
	})
}

// isThe reports whether a device of the list is this one, which may have another name
// by now.
func (d *Device) isThe(info verbs.DeviceInfo) bool {
	return info.Name == d.Info.Name || info.DevName != "" && info.DevName == d.Info.DevName
}

// hostRemoves destroys a device that the host removes, and all that was made from it.
func hostRemoves(s *core.Session, d *Device) {
	s.Note(timeline.LevelWarn, "the host removes %s; its objects are destroyed, because the kernel waits for them", d.Name)
	soon, cancel := context.WithTimeout(s.Ctx, removalGrace)
	err := s.Acquire(soon)
	cancel()
	if err != nil {
		s.StopWaiting()
		if s.Acquire(s.Ctx) != nil {
			return
		}
	}
	defer s.Release() // the session is not closed: its context ends before
	left := s.TakeDown(func(n *core.Node) bool { return n.Device() == d.Node })
	if len(left) == 0 {
		s.Note(timeline.LevelWarn, "%s was removed and is closed", d.Name)
	}
}
