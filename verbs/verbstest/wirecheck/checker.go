package wirecheck

import (
	"fmt"
	"maps"
	"net/netip"
	"sync"
	"testing"

	"rdmatui/verbs"
)

// maxViolations bounds the stored violations; further ones are only counted.
const maxViolations = 20

// Checker collects violations. Its methods may be called from any goroutine.
type Checker struct {
	mu         sync.Mutex
	packets    uint64
	violations []string
	more       int
	flows      map[flowKey]*flow
	datagrams  map[senderKey]*datagrams
}

// New makes a checker that has seen no packet.
func New() *Checker {
	return &Checker{flows: map[flowKey]*flow{}, datagrams: map[senderKey]*datagrams{}}
}

// See takes one packet, in the order of sending. It ignores packets that a device has
// received: it saw them when they were sent, before they could be lost, damaged
// or duplicated.
func (c *Checker) See(p verbs.Packet) {
	if !p.Outgoing {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.packets++
	k, err := decode(&p)
	if err != nil {
		c.fail("%d: %s to %s: %v: %x", c.packets, p.Src, p.Dst, err, p.Data)
		return
	}
	say := func(format string, args ...any) {
		c.fail("%d: %s to %s %s: %s", c.packets, p.Src, p.Dst, k, fmt.Sprintf(format, args...))
	}
	k.check(say)
	switch k.transport {
	case transportUD:
		c.seeDatagram(k, say)
	case transportRC, transportUC:
		f := c.flow(k)
		f.sameHeader(k, say)
		if k.form.answer {
			c.seeAnswer(f, k, say)
		} else {
			f.request(k, say)
		}
	}
}

func (c *Checker) fail(format string, args ...any) {
	if len(c.violations) == maxViolations {
		c.more++
		return
	}
	c.violations = append(c.violations, fmt.Sprintf(format, args...))
}

// Forget discards the state of all flows from and to an address. Call it after a queue pair
// is reset and before it is used again with the same UDP port; over UDP all queue pairs share
// one port.
func (c *Checker) Forget(addr netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.flows {
		if k.src.Addr() == addr || k.dst == addr {
			delete(c.flows, k)
		}
	}
	for k := range c.datagrams {
		if k.addr == addr {
			delete(c.datagrams, k)
		}
	}
}

// ForgetSender discards the state of the datagrams of one queue pair number, for all
// addresses. Call it after a queue pair is destroyed: another may get its number.
func (c *Checker) ForgetSender(qpn uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.datagrams, func(k senderKey, _ *datagrams) bool { return k.qpn == qpn })
}

// Packets returns how many packets were checked.
func (c *Checker) Packets() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.packets
}

// Violations returns the violations, one line each, with a last line that counts the omitted
// ones.
func (c *Checker) Violations() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := append([]string(nil), c.violations...)
	if c.more > 0 {
		all = append(all, fmt.Sprintf("and %d more", c.more))
	}
	return all
}

// Report fails a test with each violation.
func (c *Checker) Report(t testing.TB) {
	t.Helper()
	for _, v := range c.Violations() {
		t.Error("on the wire: packet " + v)
	}
}

// flowKey identifies a flow: all packets from one port of an address to one queue pair.
type flowKey struct {
	src       netip.AddrPort
	dst       netip.Addr
	qpn       uint32
	transport byte
}

// flow holds the requests and the answers of one queue pair to its peer.
type flow struct {
	key    flowKey
	ip     verbs.IPHeader
	headed bool
	requests
	answers
}

func (c *Checker) flow(k *packet) *flow {
	key := flowKey{k.src, k.dst.Addr(), k.dest, k.transport}
	f := c.flows[key]
	if f == nil {
		f = &flow{key: key}
		f.mtus = allMTUs
		c.flows[key] = f
	}
	return f
}

// sameHeader checks that all packets of a connection have the same IP header, which is an
// attribute of the path.
func (f *flow) sameHeader(k *packet, say say) {
	if !f.headed {
		f.ip, f.headed = k.ip, true
	}
	if f.ip != k.ip {
		say("IP header %+v, before %+v", k.ip, f.ip)
	}
}

// say reports a violation by the current packet.
type say func(format string, args ...any)
