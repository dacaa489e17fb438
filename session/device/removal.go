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
	// removalCheck is how often the host is asked whether an open device still
	// exists.
	removalCheck = 2 * time.Second
	// removalGrace is how long the running command may take to end.
	removalGrace = time.Second
)

// watchRemoval passes on the provider's notes while a device is open, and closes the
// device when the host removes it: the kernel waits until no program has the device
// open, and drivers that require this, such as rdma_rxe, do not notify programs. It
// ends with ctx.
func watchRemoval(ctx context.Context, s *core.Session, d *Device, p verbs.Provider) {
	if d.injector != nil {
		return // the host cannot remove a software device
	}
	s.Companions.Start(s.Opts.Crashed, func() { // a closing session needs no watch
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
			infos, err := List(s.Ctx, s, p)
			if err == nil && !slices.ContainsFunc(infos, d.isThe) {
				hostRemoves(s, d)
				return
			}
		}
	})
}

// isThe reports whether a listed device is this one, which may have been renamed.
func (d *Device) isThe(info verbs.DeviceInfo) bool {
	return info.Name == d.Info.Name || info.DevName != "" && info.DevName == d.Info.DevName
}

// Gone returns the name of an open device that the host does not list any more, "" if it lists all.
func Gone(s *core.Session) string {
	for _, d := range opened(s) {
		if d.injector != nil || d.from == nil {
			continue
		}
		if infos, err := List(s.Ctx, s, d.from); err == nil && !slices.ContainsFunc(infos, d.isThe) {
			return d.Name
		}
	}
	return ""
}

// hostRemoves destroys a device that the host removes, with all objects made from it.
func hostRemoves(s *core.Session, d *Device) {
	s.Note(timeline.LevelWarn, "the host removes %s; its objects are destroyed, because the kernel waits for them",
		d.Name)
	s.NoteRemoved(d.Node)
	soon, cancel := context.WithTimeout(s.Ctx, removalGrace)
	err := s.Acquire(soon)
	cancel()
	if err != nil {
		s.StopFor(&core.RemovedError{Device: d.Name})
		if s.Acquire(s.Ctx) != nil {
			return
		}
	}
	defer s.Release() // the session is not closed meanwhile: its context would have ended
	left := s.TakeDown(func(n *core.Node) bool { return n.Device() == d.Node })
	if len(left) == 0 {
		s.Note(timeline.LevelWarn, "%s was removed and is closed", d.Name)
	}
}
