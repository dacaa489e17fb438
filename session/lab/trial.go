package lab

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// trial is a script of the lab that is carried out a line at a time. It has a session of its own on
// the same providers, so that neither names nor polling of the user's come into its way, and nothing
// of it is left.
type trial struct {
	*script.Runner
	device string
	s      *core.Session // its own
	parts  []Part        // of the lines, the first line first
}

// plan says what is tried.
type plan struct {
	name   string
	script func(Place) (string, error)
	lack   func(*verbs.DeviceInfo) error // why it cannot be tried on a device
	exec   script.Exec
	out    func(timeline.Event) // is told of every event, and must not call the trial
}

// start prepares the trial; the device "" is the first there is. Nothing is carried out yet. The
// trial must be ended by Destroy, or with the session.
func (t *trial) start(s *core.Session, p *plan, at Place) error {
	place, err := device.Choose(s, at.Device, p.lack, "")
	if err != nil {
		return err
	}
	at.Device = place.Name
	text, err := p.script(at)
	if err != nil {
		return err
	}
	t.device = at.Device
	text, t.parts = Parts(text)
	lines, err := script.Parse(text)
	if err != nil {
		return err
	}
	if err := s.Ctx.Err(); err != nil {
		return err
	}
	t.s = s.Another(core.Options{Providers: s.Opts.Providers, Crashed: s.Opts.Crashed, Out: p.out})
	t.Runner = script.NewRunner(t.s, p.name, lines, p.exec)
	device.TellChoice(t.s, place)
	finish := func() {
		select {
		case <-s.Ctx.Done():
		case <-t.s.Ctx.Done():
		}
		_ = t.s.Close() // Destroy tells of what it could not close
	}
	if !s.Companions.Start(s.Opts.Crashed, finish) {
		return errors.Join(core.ErrSessionClosed, t.s.Close())
	}
	return nil
}

// Device is where.
func (t *trial) Device() string { return t.device }

// PartOf tells which part of the script a line is in.
func (t *trial) PartOf(l *script.Line) Part { return t.parts[l.N-1] }

// opened returns the device while it is open, nil otherwise.
func (t *trial) opened() *device.Device {
	t.s.Mu.RLock()
	defer t.s.Mu.RUnlock()
	n := t.s.Graph.ByName[t.device]
	if n == nil {
		return nil
	}
	d, _ := n.Body.(*device.Device)
	return d
}

func driverOf(d *device.Device) Driver { return DriverOf(d.Info.Provider, &d.Attr, kernelRelease()) }

// kernelRelease is what uname -r prints, "" where that cannot be read.
var kernelRelease = sync.OnceValue(func() string {
	text, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return strings.TrimSpace(string(text))
})

// Alive names what it made and is still there, in the order in which it goes.
func (t *trial) Alive() []string {
	t.s.Mu.RLock()
	defer t.s.Mu.RUnlock()
	return core.NodeNames(t.s.Graph.TeardownOrder())
}

// Destroy gives back all that it made. It may be called again.
func (t *trial) Destroy(context.Context) error { return t.s.Close() }
