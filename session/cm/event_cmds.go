package cm

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/ring"
)

// seenCMCap bounds the events kept for expect.
const seenCMCap = 256

// seenCMEvents holds the events that were taken and not matched by an expect.
type seenCMEvents struct {
	mu     sync.Mutex
	events []*arriving
}

// Add adds an event; the oldest beyond seenCMCap are dropped.
func (b *seenCMEvents) Add(e *arriving) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = ring.Newest(append(b.events, e), seenCMCap)
}

// take returns the oldest event that fits; if none does, it returns the newest near
// match.
func (b *seenCMEvents) take(fits, nearly func(*arriving) bool) (found, near *arriving) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n, e := range b.events {
		if fits(e) {
			b.events = append(b.events[:n], b.events[n+1:]...)
			return e, nil
		}
		if nearly(e) {
			near = e
		}
	}
	return nil, near
}

// GetCMEvent carries out rdma_get_cm_event.
func GetCMEvent(c *core.Call) error {
	ec, of, err := eventsArg(c)
	if err != nil {
		return err
	}
	timeout := c.Cmd.Duration("timeout")
	c.Done.C = ccall.Line(c.Cmd, map[string]string{"channel": cChannel(ec)})
	var got awaited
	err = c.TimeHere(func() (err error) {
		got, err = awaitForName(c, ec, timeout, func(a *arriving) bool { return of == nil || a.concerns(of) })
		return err
	})
	if err != nil {
		return core.TimeUp(c.Ctx, err, awaitedOf(of, c.Cmd.String("event")), "no event came within %s%s",
			format.Span(timeout), triesText(ec, got.tries))
	}
	return tookEvent(c, ec, got)
}

// tookEvent describes the event that was taken, and checks it against the line.
func tookEvent(c *core.Call, ec *EventChannel, got awaited) error {
	c.Done.C = ccall.Format("%s; rdma_ack_cm_event(event)", c.Done.C)
	if want := c.Cmd.String("event"); want != "" && want != got.Type.String() {
		c.Done.Hint = got.Hint
		err := fmt.Errorf("expected %s, got %s", want, describeCM(&got.CMEvent))
		if hasNoDevice(failureOf(&got.CMEvent)) {
			return offerSource(c, ec, err)
		}
		return err
	}
	c.Done.Result = describeCM(&got.CMEvent) + howItCame[ec.mode] + triesText(ec, got.tries)
	if got.Type == verbs.CMConnectRequest {
		c.Done.EventOf = got.ID
	}
	return nil
}

// howItCame says how an event was received, by mode.
var howItCame = map[Mode]string{
	ModeEvent: "; taken by the thread that sleeps on the channel",
	ModeSync:  "; this call slept until the event came",
}

// triesText reports the gets that found no event.
func triesText(ec *EventChannel, tries int) string {
	if ec.mode != ModePoll {
		return ""
	}
	return "; polled " + format.Counted(tries, "time") + " without sleeping"
}

// eventsArg returns the channel that the line selects, and the identifier, nil for
// any.
func eventsArg(c *core.Call) (*EventChannel, *ID, error) {
	if c.Cmd.Has("id") {
		i, err := core.ArgAs[*ID](c, "id", nil)
		if err != nil {
			return nil, nil, err
		}
		return i.ec, i, nil
	}
	if !c.Cmd.Has("channel") {
		if ec := onlyOwnChannel(c.S); ec != nil {
			return ec, nil, nil
		}
	}
	ec, err := core.ArgAs[*EventChannel](c, "channel", nil)
	return ec, nil, err
}

// onlyOwnChannel returns the implicit channel that all identifiers share, if there is
// no other channel.
func onlyOwnChannel(s *core.Session) *EventChannel {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	var only *EventChannel
	for _, n := range s.Graph.Nodes {
		switch body := n.Body.(type) {
		case *EventChannel:
			return nil
		case *ID:
			if only != nil && body.ec != only {
				return nil
			}
			only = body.ec
		}
	}
	return only
}

// awaitForName is awaitCM for a command that may name the identifier of a request. In that case it skips requests whose
// identifier was destroyed before it could be named.
func awaitForName(c *core.Call, ec *EventChannel, timeout time.Duration, fits func(*arriving) bool) (awaited, error) {
	for begin := time.Now(); ; {
		got, err := awaitCM(c.Ctx, c.S, ec, timeout-time.Since(begin), fits)
		if err == nil && c.Cmd.Has("name") && got.Type == verbs.CMConnectRequest {
			if err = nameRequest(c, got.arriving); errors.Is(err, errGone) {
				continue
			}
		}
		if got.arriving != nil {
			managerOf(c.S).seen.Add(got.arriving)
		}
		return got, err
	}
}

var errGone = errors.New("the request is gone")

// nameRequest gives the identifier of a request the name in the line. It returns errGone if the identifier was
// destroyed.
func nameRequest(c *core.Call, a *arriving) error {
	name := c.Cmd.String("name")
	c.S.Mu.Lock()
	defer c.S.Mu.Unlock()
	if n := c.S.Graph.ByName[name]; n != nil {
		return fmt.Errorf("the name %s is taken by %s; the request is %s", name, n.Kind.Indefinite(), a.ID)
	}
	if a.id == nil || c.S.Graph.ByName[a.id.Name] != a.id.Node {
		return errGone
	}
	delete(c.S.Graph.ByName, a.id.Name)
	a.id.Name = name
	c.S.Graph.ByName[name] = a.id.Node
	a.ID = name
	c.Done.Created = append(c.Done.Created, name)
	return nil
}

// GetRequest carries out rdma_get_request.
func GetRequest(c *core.Call) error {
	i, err := idArg(c, in(core.IDListening))
	if err != nil {
		return err
	}
	if i.ec.mode != ModeSync {
		return fmt.Errorf("%s has a channel: rdma_get_cm_event CONNECT_REQUEST takes its requests", i.Name)
	}
	timeout := c.Cmd.Duration("timeout")
	var got awaited
	err = c.TimeHere(func() (err error) {
		got, err = awaitForName(c, i.ec, timeout, func(a *arriving) bool {
			return a.listen == i && a.Type == verbs.CMConnectRequest
		})
		return err
	})
	if err != nil {
		return core.TimeUp(c.Ctx, err, awaitedOf(i, verbs.CMConnectRequest.String()), "no request came within %s",
			format.Span(timeout))
	}
	c.Done.Result, c.Done.EventOf = describeCM(&got.CMEvent), got.ID
	if i.forRequests == nil {
		return nil
	}
	return createEndpointQP(c, got.id, *i.forRequests)
}

// awaitedOf describes a wait for an event of an identifier; nil: of any.
func awaitedOf(i *ID, event string) core.Awaited {
	a := core.Awaited{Kind: core.AwaitedCMEvent, Event: event}
	if i != nil {
		a.Objects = []string{i.Name}
	}
	return a
}

// describeCM formats an event on one line.
func describeCM(e *timeline.CMEvent) string {
	var b strings.Builder
	b.WriteString(e.Type.String())
	if e.ID != "" {
		b.WriteString(" of " + e.ID)
	}
	if e.StatusText != "" {
		b.WriteString(", " + e.StatusText)
	}
	if e.Listen != "" {
		fmt.Fprintf(&b, " from %s", e.Peer)
	}
	if data := e.PrivateText(); data != "" {
		b.WriteString(", private data " + data)
	}
	if e.Step != "" {
		fmt.Fprintf(&b, ", %s took %s", e.Step, format.Span(e.Took))
	}
	return b.String()
}

// ExpectCM carries out expect cm.
func ExpectCM(c *core.Call) error {
	want, timeout := c.Cmd.CMEventType("event"), c.Cmd.Duration("timeout")
	var of *ID
	if c.Cmd.Has("id") {
		var err error
		if of, err = core.ArgAs[*ID](c, "id", nil); err != nil {
			return err
		}
	}
	nearly := func(a *arriving) bool { return a.Type == want && (of == nil || a.concerns(of)) }
	fits := func(a *arriving) bool { return nearly(a) && cmMismatch(c.Cmd, &a.CMEvent) == "" }
	found, near := managerOf(c.S).seen.take(fits, nearly)
	if found == nil && near == nil {
		ec, err := channelOfEvent(c.S, of)
		if err != nil {
			return err
		}
		got, err := awaitCM(c.Ctx, c.S, ec, timeout, nearly)
		if err != nil {
			return core.TimeUp(c.Ctx, err, awaitedOf(of, want.String()), "%s did not come within %s", want,
				format.Span(timeout))
		}
		found, near = got.arriving, got.arriving
	}
	if found == nil || cmMismatch(c.Cmd, &found.CMEvent) != "" {
		c.Done.Hint = near.Hint
		return fmt.Errorf("%s has %s", want, cmMismatch(c.Cmd, &near.CMEvent))
	}
	c.Done.Result = describeCM(&found.CMEvent)
	return nil
}

// channelOfEvent returns where an event is expected: the identifier's channel, or the
// only one.
func channelOfEvent(s *core.Session, of *ID) (*EventChannel, error) {
	if of != nil {
		return of.ec, nil
	}
	if ec := onlyOwnChannel(s); ec != nil {
		return ec, nil
	}
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	n, err := s.Graph.Only(nil, command.KindEvents)
	if err != nil {
		return nil, errors.Join(err, errors.New("name the id"))
	}
	return n.Body.(*EventChannel), nil
}

// cmMismatch names the first value of an event that differs from the line, "" if none
// does.
func cmMismatch(cmd command.Command, e *timeline.CMEvent) string {
	if want := cmd.String("status"); want != "" {
		names := []string{fmt.Sprint(e.Status), statusName(e.Type, e.Status)}
		if !strings.EqualFold(want, names[0]) && !strings.EqualFold(want, names[1]) {
			return fmt.Sprintf("status %s, not %s", strings.TrimSpace(names[0]+" "+names[1]), want)
		}
	}
	if want := cmd.Bytes("private_data"); want != nil && !strings.HasPrefix(string(e.PrivateData()), string(want)) {
		return fmt.Sprintf("private data %s, not %s", region.DescribeBytes(e.PrivateData()), region.DescribeBytes(want))
	}
	return ""
}

// ExpectID carries out expect id.
func ExpectID(c *core.Call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	want := c.Cmd.String("state")
	if got := StateOf(c.S, i).String(); got != want {
		return fmt.Errorf("%s is in %s, not %s", i.Name, got, want)
	}
	c.Done.Result = "as expected"
	return nil
}
