package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rdmatui/devices"
	"rdmatui/verbs"
)

// Limits of a client's patience.
const (
	callLimit  = 30 * time.Second // for an answer
	helloLimit = 30 * time.Second // for the hello: an ssh login may take long
)

// Limits of what may come before the hello: /etc/motd, a message of a shell's start.
const maxBanner = 200 // lines

// Conn is the connection to an agent. One goroutine at a time may use it.
type Conn struct {
	Hello Hello
	out   io.Writer
	in    <-chan received
	id    uint64
	err   error // of the connection; it is over then
}

// received is a line from the agent.
type received struct {
	line []byte
	err  error
}

// NewConn waits for the hello of an agent. The caller closes the streams, which ends the goroutine that reads.
func NewConn(ctx context.Context, in io.Reader, out io.Writer, crashed verbs.CrashHook) (*Conn, error) {
	lines := make(chan received)
	done := ctx.Done()
	go func() {
		defer crashed.Catch()
		readAll(in, lines, done)
	}()
	c := &Conn{in: lines, out: out}
	ctx, cancel := context.WithTimeout(ctx, helloLimit)
	defer cancel()
	for range maxBanner {
		line, err := c.next(ctx)
		if err != nil {
			return nil, fmt.Errorf("no hello of an agent: %w", err)
		}
		m, err := parse(line)
		if err != nil || m.Method != helloMethod {
			continue // a banner
		}
		if err := json.Unmarshal(m.Params, &c.Hello); err != nil {
			return nil, fmt.Errorf("its hello is damaged: %w", err)
		}
		if c.Hello.Protocol != Protocol {
			return nil,
				fmt.Errorf("rdmatui %.40q there speaks protocol %d, this one speaks %d: install the same version at both ends",
					c.Hello.Version, c.Hello.Protocol, Protocol)
		}
		return c, nil
	}
	return nil, fmt.Errorf("no hello of an agent in %d lines", maxBanner)
}

// readAll hands on each line until the stream fails or done is closed.
func readAll(in io.Reader, to chan<- received, done <-chan struct{}) {
	from := newLines(in)
	for {
		line, err := from.next()
		select {
		case to <- received{slices.Clone(line), err}:
		case <-done:
			return
		}
		if err != nil {
			return
		}
	}
}

// errEnded is the error for an agent whose stream has ended.
var errEnded = errors.New("the connection has ended")

// next waits for a line.
func (c *Conn) next(ctx context.Context) ([]byte, error) {
	select {
	case r := <-c.in:
		if errors.Is(r.err, io.EOF) || errors.Is(r.err, io.ErrUnexpectedEOF) {
			r.err = errEnded
		}
		return r.line, r.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, errors.New("no answer in time")
		}
		return nil, context.Cause(ctx)
	}
}

// call sends a request and decodes the answer into result. After an error that is not an [*Error] the connection is
// over.
func (c *Conn) call(ctx context.Context, method string, params, result any) error {
	if c.err != nil {
		return c.err
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	var failed *Error
	if err = c.exchange(ctx, method, raw, result); err != nil && !errors.As(err, &failed) {
		err = fmt.Errorf("%s: %w", method, err)
		c.err = err
	}
	return err
}

func (c *Conn) exchange(ctx context.Context, method string, params json.RawMessage, result any) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	c.id++
	id := c.id
	if err := send(c.out, message{ID: &id, Method: method, Params: params}); err != nil {
		return errEnded // why is in what the agent or its launcher said
	}
	line, err := c.next(ctx)
	if err != nil {
		return err
	}
	m, err := parse(line)
	switch {
	case err != nil:
		return err
	case m.Error != nil:
		return m.Error
	case m.ID == nil || *m.ID != id:
		return errors.New("the answer is to another request")
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return fmt.Errorf("the answer is damaged: %w", err)
	}
	return nil
}

// Facts returns what the end knows of itself.
func (c *Conn) Facts(ctx context.Context) (f Facts, err error) {
	if err = c.call(ctx, methodFacts, noParams{}, &f); err == nil {
		err = f.check()
	}
	return f, err
}

// Path returns how packets between two addresses leave the end.
func (c *Conn) Path(ctx context.Context, p Addresses) (r devices.Route, err error) {
	if err = c.call(ctx, methodPath, p, &r); err == nil {
		err = checkRoute(&r)
	}
	return r, err
}

// Listen opens a UDP socket at an address of the end, and returns its port.
func (c *Conn) Listen(ctx context.Context, p Endpoint) (port uint16, err error) {
	err = c.call(ctx, methodListen, p, &port)
	return port, err
}

// Send sends datagrams.
func (c *Conn) Send(ctx context.Context, p Datagrams) (s []Sent, err error) {
	err = c.call(ctx, methodSend, p, &s)
	return s, err
}

// Arrived waits a moment for a number of datagrams at the socket of Listen, and returns those that have arrived since
// the last call.
func (c *Conn) Arrived(ctx context.Context, want int) (a []Arrived, err error) {
	err = c.call(ctx, methodArrived, arrivedParams{want}, &a)
	return a, err
}

// Field returns the text of an object's field.
func (c *Conn) Field(ctx context.Context, object, field string) (text string, err error) {
	err = c.call(ctx, methodField, fieldParams{object, field}, &text)
	if err == nil && (len(text) > maxField || strings.ContainsFunc(text, notInField)) {
		err = fmt.Errorf("%s.%s is not a value", object, field)
	}
	return text, err
}

// maxField bounds a field's text, in bytes; the longest that is asked for is an IPv6 address.
const maxField = 64

// notInField reports whether a character cannot be in a field that goes into a line for the other end.
func notInField(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == ':' || r == '.')
}

// Event is what an agent tells of one event: the fields of --json that a verdict needs.
type Event struct {
	Event   string  `json:"event"`  // "command", "wc" …
	Status  text    `json:"status"` // of a completion; a connection manager's event has a number
	Latency float64 `json:"latency_us"`
	Cause   string  `json:"cause"`
	Result  string  `json:"result"`
	Err     string  `json:"error"`
	Errno   string  `json:"errno"`
	Hint    string  `json:"hint"`
}

// text is a string or a number.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(b []byte) error {
	*t = text(strings.Trim(string(b), `"`))
	return nil
}

// LineError is the error of a line that failed at the end.
type LineError struct {
	Line string
	Event
}

// Error names the line and says why it failed.
func (e *LineError) Error() string {
	s := e.Line + ": " + e.Err
	if e.Hint != "" && !strings.Contains(s, e.Hint) {
		s += "; " + e.Hint
	}
	return s
}

// Run carries out a line and returns the events since the last one. If the line failed the error is a [*LineError].
func (c *Conn) Run(ctx context.Context, line string) (events []Event, err error) {
	if err := c.call(ctx, methodRun, lineParams{line}, &events); err != nil {
		return nil, err
	}
	for _, e := range events {
		if e.Event == "command" && e.Err != "" {
			return events, &LineError{line, e}
		}
	}
	return events, nil
}
