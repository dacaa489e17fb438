//go:build linux

package cm

import (
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/eventfile"
)

// fakeCM stands in for librdmacm: real calls through real function pointers, with
// answers that a test sets.
type fakeCM struct {
	testing.TB
	so   *dl.Library
	host fakeHost
	ctx  uintptr // of the only device
	cm   *Manager

	mu    sync.Mutex    // held during calls
	errno syscall.Errno // of the next calls; 0 for success
	calls []fakeCall
	event abi.CMEvent // returned by the next get
	acked int
	gone  bool // the list of devices is empty
	lists int  // device lists not freed yet
}

// fakeCall is a call with the contents of its pointers at that time.
type fakeCall struct {
	name string
	id   uintptr
	args [4]uintptr
	data []byte // private data, or the value of an option
	conn abi.ConnParam
	addr [2]abi.SockaddrStorage
}

func newFakeCM(t testing.TB) *fakeCM {
	t.Helper()
	so, err := dl.Open("libc.so.6")
	if err != nil {
		t.Fatal(err)
	}
	location, err := dl.Bind[dl.ValueFunc](so, "__errno_location")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeCM{TB: t, so: so}
	f.ctx = f.object()
	f.fill(location)
	return f
}

// fill binds every function. Callbacks are a scarce resource, so the functions with the
// same number of arguments share one.
func (f *fakeCM) fill(location dl.ValueFunc) {
	so := f.so
	status := func(name string, note func(*fakeCall)) dl.StatusFunc {
		return dl.At[dl.StatusFunc](so, dl.Callback(func(id, a, b, c, d uintptr) uintptr {
			f.mu.Lock()
			defer f.mu.Unlock()
			call := fakeCall{name: name, id: id, args: [4]uintptr{a, b, c, d}}
			if note != nil {
				note(&call)
			}
			f.calls = append(f.calls, call)
			return f.status(location)
		}))
	}
	conn := func(c *fakeCall) {
		c.conn = *dl.View[abi.ConnParam](c.args[0])
		c.data = dl.Bytes(c.conn.PrivateData, int(c.conn.PrivateDataLen))
	}
	addr := func(c *fakeCall) { c.addr[0] = *dl.View[abi.SockaddrStorage](c.args[0]) }
	l := &library{
		destroyID: status("destroy_id", nil), migrateID: status("migrate_id", nil),
		bindAddr: status("bind_addr", addr), listen: status("listen", nil),
		resolveAddr: status("resolve_addr", func(c *fakeCall) {
			for i, ptr := range c.args[:2] {
				if ptr != 0 {
					c.addr[i] = *dl.View[abi.SockaddrStorage](ptr)
				}
			}
		}),
		resolveRoute: status("resolve_route", nil),
		connect:      status("connect", conn), accept: status("accept", conn),
		reject:    status("reject", func(c *fakeCall) { c.data = dl.Bytes(c.args[0], int(c.args[1])) }),
		establish: status("establish", nil), disconnect: status("disconnect", nil), notify: status("notify", nil),
		setOption:     status("set_option", func(c *fakeCall) { c.data = dl.Bytes(c.args[2], int(c.args[3])) }),
		joinMulticast: status("join", addr), leaveMulticast: status("leave", addr),
		initQPAttr: status("init_qp_attr", func(c *fakeCall) {
			attr := dl.View[abi.QPAttr](c.args[0])
			attr.PortNum, attr.RQPSN = uint8(attr.QPState)+1, 0x123
			*dl.View[int32](c.args[1]) = int32(verbs.AttrState | verbs.AttrPort)
		}),
		createQP: status("create_qp", func(c *fakeCall) {
			if f.errno == 0 {
				dl.View[abi.CMID](c.id).QP = f.object()
			}
		}),
		ackCMEvent: status("ack", func(*fakeCall) { f.acked++ }),
	}
	l.createID = status("create_id", func(c *fakeCall) {
		ptr := f.object()
		dl.View[abi.CMID](ptr).PS = uint32(c.args[2])
		*dl.View[uintptr](c.args[0]) = ptr
	})
	event := func(c *fakeCall) {
		*dl.View[uintptr](c.args[0]) = uintptr(unsafe.Pointer(&f.event)) // f stays on the heap
	}
	l.getCMEvent, l.seekCMEvent = status("get_event", event), status("seek_event", event)
	l.getDevices = dl.At[dl.PointerFunc](so, dl.Callback(func(uintptr) uintptr {
		list := f.object()
		if !f.gone {
			*dl.View[uintptr](list) = f.ctx
		}
		f.lists++
		return list
	}))
	l.freeDevices = dl.At[dl.ValueFunc](so, dl.Callback(func(uintptr) uintptr { f.lists--; return 0 }))
	l.destroyEventChannel = dl.At[dl.ValueFunc](so, dl.Callback(func(uintptr) uintptr { return 0 }))
	f.cm = newManager(&f.host, l)
}

// object returns zeroed memory, large enough for any C struct.
func (f *fakeCM) object() uintptr {
	mem, err := dl.NewMem(1024)
	if err != nil {
		f.Error(err)
		return 0
	}
	return mem.Addr()
}

// status returns a call's status as C does: -1 with errno set, or 0.
func (f *fakeCM) status(location dl.ValueFunc) uintptr {
	if f.errno == 0 {
		return 0
	}
	*dl.View[int32](location.Call()) = int32(f.errno)
	return ^uintptr(0)
}

func (f *fakeCM) channel() *Channel {
	ch := &Channel{
		cm: f.cm, serial: f.cm.channels.Add(1), name: "event channel", ptr: f.object(), ids: map[uintptr]*ID{},
	}
	ch.events = &eventfile.File{}
	return ch
}

func (f *fakeCM) id(ch *Channel, ps verbs.CMPortSpace) *ID {
	f.Helper()
	id, err := ch.CreateID(ps)
	if err != nil {
		f.Fatal(err)
	}
	return id.(*ID)
}

// bindTo binds the identifier to the device as librdmacm does.
func (f *fakeCM) bindTo(id *ID) {
	raw := dl.View[abi.CMID](id.ptr)
	if ctx := dl.View[abi.Context](f.ctx); ctx.CmdFD == 0 {
		ctx.AsyncFD, ctx.CmdFD = -1, -1
	}
	raw.Verbs, raw.PortNum = f.ctx, 1
	id.refresh()
}

func (f *fakeCM) last() fakeCall { return f.calls[len(f.calls)-1] }
