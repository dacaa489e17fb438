package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"rdmatui/verbs"
)

// AwaitedKind is a kind of thing that commands wait for.
type AwaitedKind uint8

// Kinds of things that commands wait for.
const (
	AwaitedNothing AwaitedKind = iota
	AwaitedWC                  // completions of a completion queue
	AwaitedCQEvent             // an event of a completion channel
	AwaitedCMEvent             // an event of the connection manager
	AwaitedAsync               // an asynchronous event of a device
	AwaitedMessage             // a message of a ping-pong or of a measured run
	AwaitedPeer                // the peer's program, out of band
)

// Awaited is what a command waited for in vain.
type Awaited struct {
	Kind    AwaitedKind
	Objects []string // the queue, channel, identifier or device, or the queue pairs; nil: any
	Event   string   // the event's name, "" if any would do
	Took    string   // the event that came instead, "" if none did

	// Of a measured run, whose requests the session does not know.
	Status verbs.WCStatus // with which a request failed; SUCCESS: none did
	Since  time.Time      // when it began; zero: as the command that waits
}

// Of returns the only object that is waited for, "" if any would do.
func (a *Awaited) Of() string {
	if len(a.Objects) == 0 {
		return ""
	}
	return a.Objects[0]
}

// TimeUpError is the error of a command that waited in vain.
type TimeUpError struct {
	Text    string
	Awaited Awaited
	Err     error  // what the system reported; nil: nothing
	Step    string // what to do if nothing is known to be wrong; "" if that depends on the cause
}

// Error says what did not come.
func (e *TimeUpError) Error() string { return e.Text }

// Unwrap returns what the system reported.
func (e *TimeUpError) Unwrap() error { return e.Err }

// Explain returns the error of a run that is no command: with its cause and the next step, as far as they are known, if
// it waited in vain or lost its device.
func (s *Session) Explain(ctx context.Context, err error) error {
	err = s.WhyRemoved(ctx, err)
	var gone *RemovedError
	if errors.As(err, &gone) && !strings.Contains(err.Error(), gone.Remedy()) {
		return fmt.Errorf("%w: %s", err, gone.Remedy())
	}
	var late *TimeUpError
	if ctx.Err() == nil && gone == nil && errors.As(err, &late) {
		if why := cmp.Or(s.wiring.InVain(s, &late.Awaited), late.Step); why != "" {
			return fmt.Errorf("%w: %s", err, why)
		}
	}
	return err
}

// TimeUp returns the error of a wait that reached its own limit; outer is the context
// without that limit.
func TimeUp(outer context.Context, err error, what Awaited, format string, args ...any) error {
	late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrTimeUp)
	if outer.Err() == nil && late {
		return &TimeUpError{Text: fmt.Sprintf(format, args...), Awaited: what}
	}
	return err
}

// RemovedError is the error of a command whose device the host has removed.
type RemovedError struct {
	Device string
	While  error // what the command reported
}

// Error names the device.
func (e *RemovedError) Error() string { return "the host removed " + e.Device }

// Unwrap returns what the command reported.
func (e *RemovedError) Unwrap() error { return e.While }

// Remedy says what to do.
func (e *RemovedError) Remedy() string {
	return "all objects of " + e.Device + " are destroyed: when rdmatui devices lists it again, open it again"
}

// removed holds the devices that the host has removed; it is guarded by Session.Mu.
type removed struct {
	devices []string
	objects map[string]string // the device of each object that went with it
}

// NoteRemoved records that the host removes a device, with the objects made from it.
func (s *Session) NoteRemoved(device *Node) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := &s.removed
	r.devices = append(r.devices, device.Name)
	r.objects = map[string]string{} // of the last device only, so that they need no bound
	for _, n := range s.Graph.Nodes {
		if n.Device() == device {
			r.objects[n.Name] = device.Name
		}
	}
}

// goneTime is how long the host may list a device whose calls it refuses already.
const goneTime = 300 * time.Millisecond

// goneNow returns the device that the host has just removed, if an error is one that the kernel answers from then on,
// or that the peer has left, which may have used the same device: the check for removals comes too late for it.
func (s *Session) goneNow(err error) string {
	var late *TimeUpError
	peerLeft := errors.As(err, &late) && late.Awaited.Kind == AwaitedPeer
	if s.wiring.Gone == nil || !peerLeft && !errors.Is(err, syscall.EIO) {
		return ""
	}
	for until := time.Now().Add(goneTime); ; time.Sleep(goneTime / 10) {
		if name := s.wiring.Gone(s); name != "" || time.Now().After(until) || s.Ctx.Err() != nil {
			return name
		}
	}
}

// WhyRemoved returns the cause of an error that follows from the removal of a device, else the error.
func (s *Session) WhyRemoved(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var gone *RemovedError
	if errors.As(context.Cause(ctx), &gone) {
		return &RemovedError{gone.Device, err}
	}
	if name := s.goneNow(err); name != "" {
		return &RemovedError{name, err}
	}
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	r, n := &s.removed, len(s.removed.devices)
	var name *NameError
	var choice *ChoiceError
	switch {
	case n == 0 || errors.Is(err, ErrSessionClosed):
		return err
	case errors.As(err, &name) && r.objects[name.Name] != "":
		return &RemovedError{r.objects[name.Name], err}
	case errors.As(err, &choice) && len(choice.Names) == 0, errors.Is(err, verbs.ErrClosed):
		return &RemovedError{r.devices[n-1], err}
	}
	return err
}
