package soft

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/mem"
)

// adapter is one software card. Its engine runs while at least one context is open.
type adapter struct {
	*carrier
	name   string
	guid   verbs.GUID
	image  verbs.GUID // sys_image_guid, the same for all adapters of a provider
	gids   []verbs.GIDEntry
	random *object.Random

	manager *cm.Manager
	settle  bool // see [Options.Settle]
	crashed verbs.CrashHook

	regions mem.Table
	qps     qpTable
	groups  groupTable
	quota   object.Quota
	counts  counters
	headers headerUse

	mu     sync.Mutex
	opens  int
	eng    *engine                      // valid while opens > 0
	faulty *link.Faulty                 // the engine's link; nil while opens == 0
	faults atomic.Pointer[verbs.Faults] // nil: none
	tap    tap
}

func newAdapter(name string, guid, image verbs.GUID, random *object.Random) *adapter {
	a := &adapter{name: name, guid: guid, image: image, random: random}
	a.regions.Init(random, &a.quota)
	a.qps.byNum = map[uint32]*qp{}
	a.qps.resting = map[uint32]time.Time{}
	return a
}

// use gives the adapter its carrier, whose addresses become its GIDs.
func (a *adapter) use(c *carrier) {
	a.carrier = c
	for i, ip := range c.addrs {
		a.gids = append(a.gids, verbs.GIDEntry{PortNum: 1, Index: i, GID: verbs.GIDFromAddr(ip), Type: verbs.GIDTypeRoCEv2, Netdev: c.netdev})
	}
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

// acquire counts one more context and starts the engine for the first.
func (a *adapter) acquire() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opens == 0 {
		e := newEngine(a)
		port, err := a.attach(e.wake)
		if err != nil {
			return err
		}
		if err := e.use(port); err != nil {
			e.rest.end()
			port.Close()
			return err
		}
		e.assists = a.polled
		a.faulty = link.NewFaulty(port, a.crashed)
		a.faulty.SetFaults(a.readFaults())
		e.link = &tapped{Link: a.faulty, tap: &a.tap, device: a.name}
		a.eng = e
		go e.run()
	}
	a.opens++
	return nil
}

// release counts one context less and ends the engine with the last; it returns when the engine has.
func (a *adapter) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opens--; a.opens > 0 {
		return
	}
	a.eng.halt()
	a.counts.closed = a.counts.closed.plus(a.faulty)
	a.faulty.Close()
	a.eng, a.faulty = nil, nil
}

// qpTable finds queue pairs by number.
type qpTable struct {
	mu      sync.RWMutex
	byNum   map[uint32]*qp
	resting map[uint32]time.Time // numbers that are not given again before a time
	order   []uint32             // they, the one that rested first before the others
}

func (t *qpTable) find(num uint32) *qp {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byNum[num]
}

// insert gives q a random number that is free. 0 and 1 are the management queue pairs, the highest is multicast.
func (t *qpTable) insert(q *qp, random *object.Random) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		n := random.Uint32() & uint32(verbs.MaxQPN)
		if n > object.GSIQPN && n != uint32(verbs.MaxQPN) && t.byNum[n] == nil && !t.rests(n) {
			q.num = verbs.QPN(n)
			t.byNum[n] = q
			return
		}
	}
}

// rest keeps a number from being given to another queue pair before a time.
func (t *qpTable) rest(num uint32, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for now := time.Now(); len(t.order) > 0 && now.After(t.resting[t.order[0]]); t.order = t.order[1:] {
		delete(t.resting, t.order[0])
	}
	t.resting[num] = until
	t.order = append(t.order, num)
}

// rests reports whether that time is still to come; t.mu is held.
func (t *qpTable) rests(num uint32) bool {
	end, found := t.resting[num]
	return found && time.Now().Before(end)
}

func (t *qpTable) remove(q *qp) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byNum, uint32(q.num))
}
