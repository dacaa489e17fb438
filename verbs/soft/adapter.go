package soft

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
)

// adapter is one software card. Its engine runs while at least one context is open.
type adapter struct {
	*carrier
	name      string
	guid      verbs.GUID
	image     verbs.GUID // sys_image_guid, the same for all adapters of a provider
	gids      []verbs.GIDEntry
	transport transport.Adapter
	manager   *cm.Manager
	crashed   verbs.CrashHook
	counts    counters
	headers   headerUse

	mu     sync.Mutex
	opens  int
	eng    *transport.Engine            // valid while opens > 0
	faulty *link.Faulty                 // the engine's link; nil while opens == 0
	faults atomic.Pointer[verbs.Faults] // nil: none
	tap    tap

	recorder recorder
}

// newAdapter creates a device of a provider; the carrier's addresses become its GIDs.
func newAdapter(p *Provider, name string, guid, image verbs.GUID, c *carrier) *adapter {
	a := &adapter{name: name, guid: guid, image: image, carrier: c, manager: &p.manager, crashed: p.opts.Crashed, recorder: recorder{began: time.Now()}}
	a.counts.transport = &a.transport.Counts
	a.transport.Init(transport.Config{
		Name: name, Addrs: c.addrs, MTU: c.mtu, Source: c.source, Polled: c.polled, Settle: p.opts.Settle,
		Random: p.random, Memory: p.opts.Memory, Crashed: p.opts.Crashed, TakeMAD: a.takeMAD, UseHeaders: a.useHeaders,
	})
	for i, ip := range c.addrs {
		a.gids = append(a.gids, verbs.GIDEntry{PortNum: 1, Index: i, GID: verbs.GIDFromAddr(ip), Type: verbs.GIDTypeRoCEv2, Netdev: c.netdev})
	}
	return a
}

// linkLocal is the address fe80::/64 with the GUID as its interface identifier, as row 0 of a RoCE GID table is.
func linkLocal(g verbs.GUID) netip.Addr {
	ip := [16]byte{0: 0xfe, 1: 0x80}
	copy(ip[8:], g[:])
	return netip.AddrFrom16(ip)
}

func (a *adapter) info() verbs.DeviceInfo {
	return verbs.DeviceInfo{Name: a.name, Provider: verbs.SoftProvider, NodeGUID: a.guid, NodeType: "CA", Transport: "InfiniBand"}
}

// acquire counts one more context and starts the engine for the first one.
func (a *adapter) acquire() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opens == 0 {
		e := transport.NewEngine(&a.transport)
		port, err := a.attach(e.Wake)
		if err != nil {
			return err
		}
		if err := e.Use(port); err != nil {
			port.Close()
			return err
		}
		a.faulty = link.NewFaulty(port, a.crashed)
		a.faulty.SetFaults(a.readFaults())
		e.Start(&tapped{Link: a.faulty, tap: &a.tap, recorder: &a.recorder, device: a.name})
		a.eng = e
	}
	a.opens++
	return nil
}

// release counts one context fewer. After the last one it stops the engine and waits for it.
func (a *adapter) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opens--; a.opens > 0 {
		return
	}
	a.eng.Halt()
	a.counts.closed = a.counts.closed.plus(a.faulty)
	a.faulty.Close()
	a.recorder.forget()
	a.eng, a.faulty = nil, nil
}
