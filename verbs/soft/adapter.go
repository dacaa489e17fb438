package soft

import (
	"sync"
	"sync/atomic"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
	"rdmatui/verbs/wire"
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

func (a *adapter) info() verbs.DeviceInfo {
	return verbs.DeviceInfo{
		Name: a.name, Provider: verbs.SoftProvider, NodeGUID: a.guid, NodeType: "CA", Transport: "InfiniBand",
	}
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

// readFaults takes no lock: drawing a screen calls it, and must not wait for a device that is being opened or closed.
func (a *adapter) readFaults() verbs.Faults {
	if f := a.faults.Load(); f != nil {
		return *f
	}
	return verbs.Faults{}
}

func (a *adapter) linkCounters() linkCounters {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.faulty == nil {
		return a.counts.closed
	}
	return a.counts.closed.plus(a.faulty)
}

func (a *adapter) useHeaders(n int) { a.headers.add(n, a.showHeaders) }

// takeMAD passes a datagram for queue pair 1 to the connection manager; the engine calls it.
func (a *adapter) takeMAD(h *wire.Packet, path *link.Path) {
	const membership = 1 << 15
	if h.BTH.Opcode != wire.UDSendOnly || h.BTH.TVer != 0 || h.BTH.PKey|membership != object.FullPKey ||
		len(h.Payload) != wire.MADLen ||
		path.Dst.Addr().IsMulticast() {
		a.counts.manager.MADsDropped.Add(1)
		return
	}
	if h.DETH.QKey != wire.QKeyGSI {
		a.counts.transport.QKeyViolations.Add(1)
		return
	}
	a.counts.transport.MADsReceived.Add(1)
	if !a.manager.Arrived(a, path, h.Payload) {
		a.counts.manager.MADsDropped.Add(1)
	}
}
