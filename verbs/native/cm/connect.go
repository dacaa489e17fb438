package cm

import (
	"math"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// maxPrivateData is the largest length that fits C's byte. The kernel's limits are
// lower and depend on the message.
const maxPrivateData = math.MaxUint8

// do makes one call on the identifier.
func (i *ID) do(op string, call func(id uintptr) (int, error)) error {
	if err := i.use(); err != nil {
		return failure.Of(op, i.name, err)
	}
	defer i.done()
	_, err := call(i.ptr)
	return failure.Of(op, i.name, err)
}

// doBound is do for functions that in C dereference the device pointer unchecked.
func (i *ID) doBound(op string, call func(id uintptr) (int, error)) error {
	return i.do(op, func(id uintptr) (int, error) {
		if dl.View[abi.CMID](id).Verbs == 0 {
			return 0, syscall.EINVAL
		}
		return call(id)
	})
}

// BindAddr implements verbs.CMID.
func (i *ID) BindAddr(src netip.AddrPort) error {
	const op = "rdma_bind_addr"
	raw, err := rawSockaddr(src)
	if err != nil {
		return failure.Of(op, i.name, err)
	}
	return i.do(op, func(id uintptr) (int, error) {
		defer i.refresh()
		return i.cm.lib.bindAddr.Call(id, uintptr(unsafe.Pointer(raw)))
	})
}

// ResolveAddr implements verbs.CMID.
func (i *ID) ResolveAddr(src, dst netip.AddrPort, timeout time.Duration) error {
	const op = "rdma_resolve_addr"
	to, err := rawSockaddr(dst)
	if err != nil {
		return failure.Of(op, i.name, err)
	}
	var from *abi.SockaddrStorage
	if src.IsValid() {
		if from, err = rawSockaddr(src); err != nil {
			return failure.Of(op, i.name, err)
		}
	}
	ms, err := milliseconds(timeout)
	if err != nil {
		return failure.Of(op, i.name, err)
	}
	return i.do(op, func(id uintptr) (int, error) {
		defer i.refresh()
		return i.cm.lib.resolveAddr.Call(id, uintptr(unsafe.Pointer(from)), uintptr(unsafe.Pointer(to)), ms)
	})
}

// ResolveRoute implements verbs.CMID. If the host runs ibacm, the library queries it
// first and waits for the answer.
func (i *ID) ResolveRoute(timeout time.Duration) error {
	const op = "rdma_resolve_route"
	ms, err := milliseconds(timeout)
	if err != nil {
		return failure.Of(op, i.name, err)
	}
	return i.doBound(op, func(id uintptr) (int, error) { return i.cm.lib.resolveRoute.Call(id, ms) })
}

// milliseconds returns a timeout as C takes it: an int, rounded up.
func milliseconds(d time.Duration) (uintptr, error) {
	if d < 0 {
		return 0, syscall.EINVAL
	}
	ms := d / time.Millisecond
	if d%time.Millisecond != 0 {
		ms++
	}
	return uintptr(min(ms, math.MaxInt32)), nil
}

// Listen implements verbs.CMID.
func (i *ID) Listen(backlog int) error {
	const op = "rdma_listen"
	if int(int32(backlog)) != backlog {
		return failure.Of(op, i.name, syscall.EINVAL)
	}
	return i.do(op, func(id uintptr) (int, error) {
		i.startsListening() // a request may come before the call returns
		defer i.refresh()
		return i.cm.lib.listen.Call(id, uintptr(backlog))
	})
}

func (i *ID) startsListening() {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	i.state.listens = true
	i.setSeeks(true)
}

// connCall holds the parameters of a connect or accept, and the private data that they
// point to.
type connCall struct {
	param abi.ConnParam
	data  [maxPrivateData]byte
}

func newConnCall(p *verbs.CMConnParam) (*connCall, error) {
	if len(p.PrivateData) > maxPrivateData {
		return nil, syscall.EINVAL
	}
	c := &connCall{param: rawConnParam(p)}
	if n := copy(c.data[:], p.PrivateData); n > 0 {
		c.param.PrivateDataLen = uint8(n)
	}
	return c, nil
}

// arm sets the pointer to the data. By then the struct is on the heap, because it is
// passed to C.
func (c *connCall) arm() *connCall {
	if c.param.PrivateDataLen > 0 {
		c.param.PrivateData = uintptr(unsafe.Pointer(&c.data))
	}
	return c
}

// Connect implements verbs.CMID.
func (i *ID) Connect(param verbs.CMConnParam) error {
	return i.withParam("rdma_connect", i.cm.lib.connect, &param)
}

// Accept implements verbs.CMID.
func (i *ID) Accept(param verbs.CMConnParam) error {
	return i.withParam("rdma_accept", i.cm.lib.accept, &param)
}

func (i *ID) withParam(op string, f dl.StatusFunc, param *verbs.CMConnParam) error {
	c, err := newConnCall(param)
	if err != nil {
		return failure.Of(op, i.name, err)
	}
	return i.doBound(op, func(id uintptr) (int, error) {
		return f.Call(id, uintptr(unsafe.Pointer(c.arm())))
	})
}

// Reject implements verbs.CMID.
func (i *ID) Reject(privateData []byte) error {
	const op = "rdma_reject"
	if len(privateData) > maxPrivateData {
		return failure.Of(op, i.name, syscall.EINVAL)
	}
	data := new([maxPrivateData]byte)
	n := copy(data[:], privateData)
	return i.do(op, func(id uintptr) (int, error) {
		return i.cm.lib.reject.Call(id, uintptr(unsafe.Pointer(data)), uintptr(n))
	})
}

// Disconnect implements verbs.CMID.
func (i *ID) Disconnect() error {
	return i.do("rdma_disconnect", func(id uintptr) (int, error) { return i.cm.lib.disconnect.Call(id) })
}

// Establish implements verbs.CMID.
func (i *ID) Establish() error {
	return i.do("rdma_establish", func(id uintptr) (int, error) { return i.cm.lib.establish.Call(id) })
}

// Notify implements verbs.CMID.
func (i *ID) Notify(event verbs.EventType) error {
	return i.do("rdma_notify", func(id uintptr) (int, error) { return i.cm.lib.notify.Call(id, uintptr(event)) })
}

// optionSize is the size in bytes of each option's value in C; others are an int.
var optionSize = map[verbs.CMOption]uintptr{verbs.CMOptTOS: 1, verbs.CMOptACKTimeout: 1}

// levelID is RDMA_OPTION_ID, the level of all options that verbs knows.
const levelID = 0

// SetOption implements verbs.CMID.
func (i *ID) SetOption(option verbs.CMOption, value uint64) error {
	const op = "rdma_set_option"
	size, limit := optionSize[option], uint64(math.MaxUint8)
	if size == 0 {
		size, limit = 4, math.MaxInt32
	}
	if value > limit {
		return failure.Of(op, i.name, syscall.EINVAL)
	}
	raw := new(uint64)
	*raw = value // little-endian: shorter values are at the start
	return i.do(op, func(id uintptr) (int, error) {
		return i.cm.lib.setOption.Call(id, levelID, uintptr(option), uintptr(unsafe.Pointer(raw)), size)
	})
}
