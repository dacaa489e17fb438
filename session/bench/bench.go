// Package bench runs the tests of perftest against its programs, or against another
// rdmatui, and measures. The objects are those of the session, made by command lines.
//
// What both ends agree on, the parameters with their defaults ([Params]), what they exchange ([Exchange]) and the
// reports ([Report]), follows perftest 4.5+0.17 and 25.01.0, as read in their sources: perftest_communication.c for the
// exchange, perftest_parameters.c for the defaults and the reports, and the main function of each program for the order
// of both.
//
// A loop only posts and polls: it allocates nothing and records nothing on the time
// line.
package bench

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Watcher is told how a run proceeds; nil functions are skipped. They are called on the
// goroutine of [Run.Do].
type Watcher struct {
	Waiting   func(port uint16, at string) // the server listens at these addresses
	Connected func(Info)                   // the test begins
	Measured  func(Result)                 // the test of one message size has ended
}

// Info describes the connection of a run.
type Info struct {
	Params     Params // as settled with the device and the peer
	Common     Common
	DeviceName string
	Transport  string // of the device: "InfiniBand", "iWARP"
	LinkLayer  verbs.LinkLayer
	MiB        bool // reports say MiB/sec, as the peer's do
	Local      []Dest
	Remote     []Dest
}

// Result is what was measured with one message size.
type Result struct {
	Latency *Latency // nil: bandwidth
	// Report is a bandwidth: this end's, or that of both ends together with -b. At a
	// server that takes no part it is the client's.
	Report Report
	// Local and Remote are the reports of both directions with -b; nil otherwise.
	Local, Remote *Report
}

// Progress is how far a run has come. A display may read it at any time.
type Progress struct {
	Size     uint64 // of the messages now
	Messages uint64 // completed at this size
	Since    time.Time
}

// Lane is how far one queue pair has come.
type Lane struct {
	QPN      verbs.QPN `json:"qp_num"`
	Sent     uint64    `json:"sent"` // messages at this size
	Received uint64    `json:"received"`
}

// Run is one end of a test. Do may be called once.
type Run struct {
	s     *core.Session
	p     Params
	watch Watcher

	x     Exchange
	link  link
	info  Info
	dev   *device.Device
	mr    *region.MR
	srq   *queue.SRQ // nil: each queue pair has a receive queue
	lanes []lane
	area  uint64 // bytes of the send half of a lane's buffer, and of its receive half

	progress progress
	thread   queue.LoopThread
	served   served
	silence  time.Duration // set by Silence
}

// progress is Progress for several goroutines.
type progress struct {
	size, messages atomic.Uint64
	since          atomic.Int64 // Unix time in nanoseconds
	// When the messages of a latency test were posted, and how many of them are there.
	times  atomic.Pointer[[]time.Duration]
	posted atomic.Int64
}

// New prepares a run. It reports parameters that the test cannot have, before anything
// is opened.
func New(s *core.Session, p Params, watch Watcher) (*Run, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	return &Run{s: s, p: p.Settle(), watch: watch, silence: silence}, nil
}

// Progress returns how far the run has come.
func (r *Run) Progress() Progress {
	return Progress{r.progress.size.Load(), r.progress.messages.Load(), time.Unix(0, r.progress.since.Load())}
}

// Lanes returns the progress of each queue pair, in order. What a peer writes into this
// end's memory does not count as received: only the peer knows it. A display may call it
// at any time after [Watcher.Connected].
func (r *Run) Lanes() []Lane {
	out := make([]Lane, len(r.lanes))
	for i := range out {
		l := &r.lanes[i]
		out[i] = Lane{l.q.Num, l.shown[sent].Load(), l.shown[received].Load()}
	}
	if one := &out[0]; !r.byLane() && r.p.Sends() {
		one.Sent = r.progress.messages.Load()
	} else if !r.byLane() {
		one.Received = r.progress.messages.Load()
	}
	return out
}

// Thread returns the thread of the loop as [queue.LoopThread.Ask] does. A display may call it at any time.
func (r *Run) Thread() int { return r.thread.Ask() }

// byLane reports whether each lane publishes its progress: the sum does not tell it.
func (r *Run) byLane() bool { return r.p.QPs > 1 || r.p.Bidirectional }

// Samples appends to dst the times between the starts of messages at this size, from
// number from on, and returns it. They are those of round trips or, for READs and
// atomics, of requests. There are none in bandwidth tests and tests of given duration.
// A display may call it at any time.
func (r *Run) Samples(dst []time.Duration, from int) []time.Duration {
	times := r.progress.times.Load()
	if times == nil {
		return dst
	}
	posted := min(int(r.progress.posted.Load()), len(*times))
	for i := max(from, 0) + 1; i < posted; i++ {
		dst = append(dst, (*times)[i]-(*times)[i-1])
	}
	return dst
}

// Do runs the test to its end. It leaves its objects to the session.
func (r *Run) Do(ctx context.Context) error {
	ctx, end := r.s.Within(ctx)
	defer end()
	if err := r.open(ctx); err != nil {
		return explain(ctx, r, err, time.Now())
	}
	defer r.link.Close()
	if err := r.agree(ctx); err != nil {
		return explain(ctx, r, err, time.Now())
	}
	if err := r.setUp(ctx); err != nil {
		return explain(ctx, r, err, time.Now())
	}
	began := time.Now()
	return explain(ctx, r, r.measure(ctx), began)
}

// explain returns the error of a test that began at a moment, with its cause as far as that is known.
func explain(ctx context.Context, r *Run, err error, began time.Time) error {
	if step := stepAtPeer(r, err); step != "" {
		err = &core.TimeUpError{Text: err.Error(), Err: err, Awaited: core.Awaited{Kind: core.AwaitedPeer}, Step: step}
	}
	var late *core.TimeUpError
	if errors.As(err, &late) {
		if late.Awaited.Kind == core.AwaitedNothing {
			late.Awaited.Kind = core.AwaitedMessage
		}
		late.Awaited.Since = began
		for i := range r.lanes {
			late.Awaited.Objects = append(late.Awaited.Objects, r.lanes[i].q.Name)
		}
	}
	return r.s.Explain(ctx, err)
}

// stepAtPeer returns what to do after the peer has left or does not speak, "" if the error is another.
func stepAtPeer(r *Run, err error) string {
	var silent *SilentError
	switch {
	case PeerLeft(err):
		return "read the last line of the peer's program, which tells why"
	case !errors.As(err, &silent):
		return ""
	case silent.First() && r.dev != nil && r.iWARP():
		// Linux drivers/infiniband/sw/siw/siw_cm.c: siw_accept replies to the client before siw_qp_socket_assoc sets
		// the socket's data_ready. Data that arrive in between wait until more data arrive.
		return "Soft-iWARP may leave the first message on a new connection unread: start both ends again"
	}
	return "run the same test with the same options at both ends"
}

// open opens the device and the exchange.
func (r *Run) open(ctx context.Context) error {
	if r.p.CM {
		return r.openCM(ctx)
	}
	if err := r.openDevice(ctx); err != nil {
		return err
	}
	return r.connect(ctx)
}

// link carries the exchange.
type link interface {
	Link
	watch()     // while the test runs, looks whether the peer leaves
	unwatch()   // ends that; it is idempotent
	left() bool // the peer has closed the exchange
	// ahead reports whether the peer has begun the step after the test, while watch runs.
	ahead() bool
	// part waits for a while until the peer has closed the exchange, at the end of a test.
	part(ctx context.Context)
	Close() error
}

// openDevice opens the device before anything is asked of the peer.
func (r *Run) openDevice(ctx context.Context) error {
	reached := r.p.Host // a server is reached at its own address
	if reached == "" && r.p.Bind != oob.AnyAddress {
		reached = r.p.Bind
	}
	place, err := device.Choose(r.s, r.p.Device, r.lack, reached)
	if err != nil {
		return err
	}
	device.TellChoice(r.s, place)
	line := fmt.Sprintf("open_device %s", place.Name)
	if r.p.DevicePort > 0 {
		line += fmt.Sprintf(" port_num=%d", r.p.DevicePort)
	}
	if r.p.GIDIndex >= 0 {
		line += fmt.Sprintf(" sgid_index=%d", r.p.GIDIndex)
	}
	if err := r.exec(ctx, "%s", line); err != nil {
		return err
	}
	r.dev = core.ObjectOf[*device.Device](r.s, place.Name)
	return r.settleOnDevice()
}

// lack reports why a device cannot run the test.
func (r *Run) lack(d *verbs.DeviceInfo) error {
	need := []verbs.Trait{verbs.ByHand}
	switch r.p.Connection {
	case verbs.UC:
		need = append(need, verbs.UnreliableConn)
	case verbs.UD:
		need = append(need, verbs.Datagrams)
	}
	for _, trait := range need {
		if err := d.Lack(trait); err != nil {
			return err
		}
	}
	return nil
}

// iWARP reports whether the device is one. Only the connection manager connects queue pairs there.
func (r *Run) iWARP() bool { return r.dev.Info.Lack(verbs.ByHand) != nil }

// lackIWARP reports what a device of iWARP lacks, and perftest's tests on those.
func (r *Run) lackIWARP(d *verbs.DeviceInfo) error {
	switch {
	case d.Lack(verbs.ByHand) == nil:
	case r.p.Connection != verbs.RC:
		return fmt.Errorf("-c %s: %s is an iWARP device, which has RC only", r.p.Connection, d.Name)
	case r.p.Test.Verb == Atomic:
		return fmt.Errorf("%s: %s is an iWARP device, which has no atomic operations", r.p.Test, d.Name)
	case r.p.Test == Test{Verb: Send}:
		// perftest's server grants credits by WRITEs there
		return fmt.Errorf("%s: on iWARP devices such as %s it is not supported; use send-lat or write-bw",
			r.p.Test, d.Name)
	}
	return nil
}

// settleOnDevice sets the parameters that depend on the device.
func (r *Run) settleOnDevice() error {
	r.s.Mu.RLock()
	defer r.s.Mu.RUnlock()
	r.info.DeviceName, r.info.Transport = r.dev.Info.Name, r.dev.Info.Transport
	choice := r.dev.UsualPort()
	port := r.dev.Port(choice.PortNum)
	if port.State != verbs.PortActive {
		return fmt.Errorf("port %d of %s is %s", choice.PortNum, r.dev.Name, port.State)
	}
	r.p.DevicePort, r.info.LinkLayer = choice.PortNum, port.LinkLayer
	r.info.Common = Common{CycleBuffer: pageSize(), CacheLine: cacheLine, MTU: port.ActiveMTU}
	if r.p.MTU > port.ActiveMTU {
		return fmt.Errorf("-m %s: the active MTU of port %d is %s", r.p.MTU, choice.PortNum, port.ActiveMTU)
	}
	if r.p.MTU != 0 {
		r.info.Common.MTU = r.p.MTU
	}
	if r.p.Test.Verb == Read || r.p.Test.Verb == Atomic {
		most := int(min(r.dev.Attr.MaxQPRDAtom, 255))
		if r.p.Outs > most {
			return fmt.Errorf("-o %d: max_qp_rd_atom of %s is %d", r.p.Outs, r.dev.Name, most)
		}
		if r.p.Outs == 0 {
			r.p.Outs = most
		}
	} else {
		r.p.Outs = 1
	}
	if r.p.Inline < 0 {
		r.p.Inline = 0
		if hardware(&r.dev.Attr) && !r.iWARP() {
			r.p.Inline = r.p.DefaultInline()
		}
	}
	r.x.GID = r.dev.NeedsGRH(choice.PortNum) || r.p.GIDIndex >= 0
	return nil
}

// hardware reports whether a device has a vendor. perftest uses inline data by default
// only on devices of vendors that it knows: not on Soft-RoCE, which has none, nor on Soft-iWARP.
func hardware(a *verbs.DeviceAttr) bool { return a.VendorID != 0 && a.VendorID != 0xffffff }

// connect opens the exchange over TCP. The server has then agreed with its client.
func (r *Run) connect(ctx context.Context) error {
	crashed := r.s.Opts.Crashed
	if r.p.Client() {
		l, err := dial(ctx, crashed, r.p.Host, r.p.Port)
		if err == nil {
			r.link = l
		}
		return err
	}
	l, err := listen(r)
	if err != nil {
		return err
	}
	tellWaiting(r, l.Port(), l.String())
	note := func(format string, args ...any) { r.s.Note(timeline.LevelWarn, format, args...) }
	a, err := waitForClient(ctx, crashed, l, r.x, r.info.Common, note)
	if err == nil {
		r.link, r.x, r.info.Common = a.link, a.x, a.Common
	}
	return err
}

// listen begins to listen for a client.
func listen(r *Run) (*oob.Listener, error) {
	l, err := oob.ListenFor(r.dev.Addrs(r.s, r.p.DevicePort), "--bind ", r.p.Bind, r.p.Port)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		err = fmt.Errorf("another program listens on TCP port %d: end it or use another -p at both ends", r.p.Port)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		err = fmt.Errorf("--bind %s: must be an address of this host, or any", r.p.Bind)
	}
	return l, err
}

// tellWaiting tells that the server listens.
func tellWaiting(r *Run, port uint16, at string) {
	if r.watch.Waiting != nil {
		r.watch.Waiting(port, at)
	}
}

// agree agrees with the peer on the common parameters.
func (r *Run) agree(ctx context.Context) (err error) {
	if r.x.Peer == "" {
		r.x.Link, r.x.Client = r.link, r.p.Client()
		if r.info.Common, err = r.x.Agree(ctx, r.info.Common); err != nil {
			return err
		}
	}
	r.info.MiB = r.x.MiB()
	if most := uint64(r.info.Common.MTU.Bytes()); r.p.Connection == verbs.UD && r.p.Size > most {
		if !r.p.All && r.p.Size != DefaultParams(r.p.Test).Size {
			return fmt.Errorf("-s %d: a datagram is one packet, and the MTU of both ends is %d bytes", r.p.Size, most)
		}
		r.p.Size = most
	}
	return nil
}

// exec carries out a line.
func (r *Run) exec(ctx context.Context, format string, args ...any) error {
	return r.s.Do(ctx, fmt.Sprintf(format, args...), false)
}
