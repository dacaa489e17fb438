package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// idleLimit is how long an agent waits for a request: a connection that broke without notice must not keep it.
const idleLimit = 5 * time.Minute

// Options says what an agent offers.
type Options struct {
	Version   string
	Providers []verbs.Provider
	Host      devices.OS
	Device    string // the device to use; "": the usual one
	Crashed   verbs.CrashHook
}

// server is one agent.
type server struct {
	opts Options
	inv  *devices.Inventory
	log  *timeline.Log
	s    *session.Session // nil until the first line
	told uint64           // the last event of log that was part of an answer
	udp  listener
}

// Serve answers requests until the input ends, which is not an error, or until ctx ends. Then it destroys everything
// that the requests have made.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) (err error) {
	v := &server{opts: opts, inv: devices.New(opts.Providers, opts.Host)}
	defer func() { err = errors.Join(err, v.close()) }()
	hello, err := json.Marshal(Hello{Protocol, opts.Version, runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return err
	}
	if err := send(out, message{Method: helloMethod, Params: hello}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	requests := make(chan []byte, 1)
	go v.read(in, requests, cancel)
	for {
		idle := time.NewTimer(idleLimit)
		select {
		case line := <-requests:
			idle.Stop()
			if err := send(out, v.answer(ctx, line)); err != nil {
				return err
			}
		case <-idle.C:
			return fmt.Errorf("no request for %s", idleLimit)
		case <-ctx.Done():
			idle.Stop()
			if cause := context.Cause(ctx); !errors.Is(cause, io.EOF) {
				return cause
			}
			return nil
		}
	}
}

// read hands lines on until the input ends, which also ends the request that is being answered. A client waits for each
// answer, so requests do not queue.
func (v *server) read(in io.Reader, requests chan<- []byte, end context.CancelCauseFunc) {
	defer v.opts.Crashed.Catch()
	from := newLines(in)
	for {
		line, err := from.next()
		if err != nil {
			end(err)
			return
		}
		select {
		case requests <- slices.Clone(line):
		default:
			end(errors.New("too many requests came before the first was answered"))
			return
		}
	}
}

// close destroys what the requests have made.
func (v *server) close() error {
	v.udp.close()
	err := v.inv.Close()
	if v.s != nil {
		err = errors.Join(err, v.s.Close())
	}
	return err
}

// answer carries out one request.
func (v *server) answer(ctx context.Context, line []byte) message {
	m, err := parse(line)
	if err != nil {
		return message{Error: &Error{codeParse, err.Error()}}
	}
	if m.ID == nil {
		return message{Error: &Error{codeInvalid, "a request needs an id"}}
	}
	reply := message{ID: m.ID}
	call, ok := methods[m.Method]
	if !ok {
		reply.Error = &Error{codeMethod, fmt.Sprintf("no method %.40q", m.Method)}
		return reply
	}
	result, err := call(v, ctx, m.Params)
	if err == nil {
		reply.Result, err = json.Marshal(result)
	}
	if err == nil && len(reply.Result) > maxLine/2 {
		err = errLong
	}
	var failed *Error
	switch {
	case errors.As(err, &failed):
		reply.Result, reply.Error = nil, failed
	case err != nil:
		reply.Result, reply.Error = nil, &Error{codeFailed, err.Error()}
	}
	return reply
}

// start makes the session when the first line needs it.
func (v *server) start() *session.Session {
	if v.s == nil {
		v.log = timeline.New(maxEvents, nil)
		v.s = session.New(session.Options{Providers: v.opts.Providers, NoFiles: true, Crashed: v.opts.Crashed,
			Log: v.log})
	}
	return v.s
}

// maxEvents bounds the events of one answer; the oldest give way.
const maxEvents = 1024

// allowed are the commands that a peer may use: verbs on objects of its own, and no command that takes other lines.
var allowed = strings.Fields(`
	open_device alloc_pd reg_mr create_cq create_qp modify_qp query_qp write_mem post_send post_recv poll_cq fault
	rdma_create_event_channel rdma_create_id rdma_bind_addr rdma_listen rdma_resolve_addr rdma_resolve_route
	rdma_create_qp rdma_connect rdma_accept rdma_get_cm_event rdma_disconnect rdma_destroy_id rdma_destroy_qp
	rdma_destroy_event_channel destroy_qp close`)

// isAllowed reports whether a peer may use a command. Of the checks it may compare memory.
func isAllowed(spec *command.Spec) bool {
	return slices.Contains(allowed, spec.Name) || spec == command.ExpectMem
}
