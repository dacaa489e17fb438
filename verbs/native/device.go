package native

import (
	"fmt"
	"sync"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/eventfile"
	"rdmatui/verbs/native/internal/failure"
)

// device is an open device: a struct ibv_context.
type device struct {
	lib  *library
	info verbs.DeviceInfo
	ops  dataPath

	mu  sync.RWMutex // held for reading during calls, for writing during closes
	ctx uintptr      // 0 once closed

	live     register
	regions  regionSet
	async    *eventfile.File
	asyncErr error  // why async is nil
	borrowed func() // not nil: the context belongs to the connection manager; called after each close
}

// dataPath holds the functions that the headers call through context->ops. Those of
// memory windows are there only because they are inline.
type dataPath struct {
	postSend    postFunc
	postRecv    postFunc
	postSRQRecv postFunc
	pollCQ      dl.CountFunc
	reqNotifyCQ dl.ErrnoFunc
	allocMW     dl.PointerFunc
	bindMW      dl.ErrnoFunc
	deallocMW   dl.ErrnoFunc
}

// postFunc is a function that posts. A driver posts to memory shared with the device,
// and at most rings a doorbell. Only a software device's driver does the work itself,
// so that long messages take long.
type postFunc struct{ short, long dl.ErrnoFunc }

func newPostFunc(f dl.ErrnoFunc, p *dl.Pace) postFunc { return postFunc{short: f.AtOnce(p), long: f} }

func openDevice(lib *library, dev uintptr, info verbs.DeviceInfo) (*device, error) {
	ctx, err := lib.openDevice.Call(dev)
	if err != nil {
		return nil, failure.Of("ibv_open_device", info.Name, err)
	}
	d := newDevice(lib, ctx, info)
	d.async, err = eventfile.Open(d.context().AsyncFD, "async events of "+info.Name)
	if err != nil {
		_, _ = lib.closeDevice.Call(ctx) // report the earlier error
		return nil, failure.Of("ibv_open_device", info.Name, err)
	}
	return d, nil
}

func newDevice(lib *library, ctx uintptr, info verbs.DeviceInfo) *device {
	d := &device{lib: lib, info: info, ctx: ctx, live: register{objects: map[uintptr]*object{}}}
	ops, pace := &d.context().Ops, dl.NewPace(d.tellSlow)
	d.ops = dataPath{
		postSend:    newPostFunc(dl.At[dl.ErrnoFunc](lib.dl, ops.PostSend), pace),
		postRecv:    newPostFunc(dl.At[dl.ErrnoFunc](lib.dl, ops.PostRecv), pace),
		postSRQRecv: newPostFunc(dl.At[dl.ErrnoFunc](lib.dl, ops.PostSRQRecv), pace),
		// As for posts, polling reads shared memory.
		pollCQ:      dl.At[dl.CountFunc](lib.dl, ops.PollCQ).AtOnce(pace),
		reqNotifyCQ: dl.At[dl.ErrnoFunc](lib.dl, ops.ReqNotifyCQ),
		allocMW:     dl.At[dl.PointerFunc](lib.dl, ops.AllocMW),
		bindMW:      dl.At[dl.ErrnoFunc](lib.dl, ops.BindMW),
		deallocMW:   dl.At[dl.ErrnoFunc](lib.dl, ops.DeallocMW),
	}
	return d
}

// tellSlow notes that a driver's call did not return at once: the whole program may
// stall meanwhile.
func (d *device) tellSlow(took time.Duration) {
	d.lib.note(d.info.Name, fmt.Sprintf("%s: the driver took %s for a poll or a short post, which can block the whole program; slower, safe calls are used from now on", d.info.Name, format.Span(took)))
}

// context returns C's struct; it may be read while dev.mu is held and the device is
// open.
func (d *device) context() *abi.Context { return dl.View[abi.Context](d.ctx) }

// slot binds a function pointer of the verbs_context around the context, or 0 if the
// library or the driver has none.
func slot[F dl.Func](d *device, s abi.Slot) F {
	fn, _ := s.Load(d.context())
	return dl.At[F](d.lib.dl, fn)
}

// use starts a call on the device: nothing is closed until done is called.
func (d *device) use() error {
	d.mu.RLock()
	if d.ctx == 0 {
		d.mu.RUnlock()
		return verbs.ErrClosed
	}
	return nil
}

func (d *device) done() { d.mu.RUnlock() }

// closing starts the Close of an object: no other call runs on the device until done is
// called.
func (d *device) closing() (done func()) {
	d.mu.Lock()
	return func() {
		d.mu.Unlock()
		if d.borrowed != nil {
			d.borrowed()
		}
	}
}

// Users implements cm.Device.
func (d *device) Users() []string { return d.live.names(func(*object) bool { return true }) }

// Info implements verbs.Device.
func (d *device) Info() verbs.DeviceInfo { return d.info }

// Close implements verbs.Device.
func (d *device) Close() error {
	if err := d.closeContext(); err != nil || d.borrowed != nil {
		return err
	}
	d.async.Close() // without the lock: it waits for waiters, which may need the lock
	return nil
}

// closeContext returns an error while objects are alive: ibv_close_device(3) would free
// the context regardless of them.
func (d *device) closeContext() error {
	const op = "ibv_close_device"
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx == 0 {
		return nil
	}
	if users := d.Users(); len(users) > 0 {
		return failure.Of(op, d.info.Name, &verbs.BusyError{Object: "device " + d.info.Name, UsedBy: users})
	}
	if d.borrowed != nil {
		return nil
	}
	if _, err := d.lib.closeDevice.Call(d.ctx); err != nil {
		return failure.Of(op, d.info.Name, err)
	}
	d.ctx = 0
	return nil
}
