package world

import (
	"fmt"
	"math/rand/v2"
	"net/netip"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// host is a provider with its devices and connection manager.
type host struct {
	w        *world
	n        int
	name     string
	provider *soft.Provider
	addr     netip.Addr // of soft0
	dom      *domain    // objects made without the connection manager
	managed  *managed   // identifiers; nil: none
}

// device is the name of the device that each host uses without the connection manager.
const device = "soft0"

// domain is a protection domain with memory of all kinds.
type domain struct {
	w         *world
	host      *host
	dev       verbs.Device
	owned     bool // the device is closed with the domain
	pd        verbs.PD
	foreign   verbs.PD // another domain, which contains only a region
	cq        verbs.CQ
	recvCQ    verbs.CQ // may be the same as cq
	channel   verbs.CompChannel
	srq       *sharedQueue
	ahs       map[netip.Addr]verbs.AH
	ahOrder   []verbs.AH
	ends      map[verbs.QPN]*end
	windows   []*window
	strays    []verbs.MW // of the foreign domain
	lodger    *lodger    // nil: none
	elsewhere verbs.AH   // of the foreign domain; created on first use
	gids      []verbs.GIDEntry

	regions []*region
	source  *region // only read from
	target  *region // for the peers' WRITEs
	inbox   *region // for RECVs
	landing *region // for the results of READs and atomics
	words   *region // for the peers' atomics
	other   *region // in the foreign domain, with all rights
	shown   *region // exposed only through windows; nil: none
	doomed  *region // will be closed while it is in use
	marked  int     // its secret
	moving  *region // is registered again while it is in use
	mover   int     // its secret; 0: none yet
	abroad  bool    // it is in the foreign domain
	former  []formerly
	closed  bool
}

const allRemote = verbs.LocalWrite | verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic

// build makes the hosts and connects the first queue pairs.
func (w *world) build() {
	w.secrets.w = w
	for i := range w.plan.hosts {
		w.hosts = append(w.hosts, w.newHost(i))
	}
	for range w.plan.pairs {
		w.newPair()
	}
	if w.plan.hostile != peaceful {
		w.attacker = w.newAttacker()
	}
	w.Settle()
}

// numberGone tells the checker that another queue pair may get the number of one that was destroyed.
func (w *world) numberGone(num verbs.QPN) {
	if w.checker != nil {
		w.checker.ForgetSender(uint32(num))
	}
}

func (w *world) newHost(i int) *host {
	h := &host{w: w, n: i, name: fmt.Sprintf("host %d", i)}
	h.addr = netip.AddrFrom4([4]byte{10, 0, byte(i), 1})
	draws := rand.New(rand.NewPCG(w.Seed, uint64(i)+1))
	h.provider = soft.New(soft.Options{
		Rand: draws.Uint64, Fabric: w.Net.Fabric,
		Addrs: []netip.Addr{h.addr, netip.AddrFrom4([4]byte{10, 0, byte(i), 2})}, Crashed: w.Crashed,
	})
	for _, name := range []string{"soft0", "soft1"} {
		if w.checker != nil {
			w.Must("tap", h.provider.TapPackets(name, w.checker.See))
		}
	}
	dev, err := h.provider.Open(device)
	if !w.Must("open", err) {
		return h
	}
	h.dom = w.newDomain(h, dev, w.plan.slot)
	h.dom.owned = true
	if w.plan.manage > 0 {
		h.managed = w.newManaged(h)
	}
	return h
}

// newDomain makes a domain on a device; size is that of its slots.
func (w *world) newDomain(h *host, dev verbs.Device, size int) *domain {
	d := &domain{w: w, host: h, dev: dev, ahs: map[netip.Addr]verbs.AH{}, ends: map[verbs.QPN]*end{}}
	var err error
	d.gids, err = dev.QueryGIDTable()
	w.Must("query_gid_table", err)
	d.pd, err = dev.AllocPD()
	w.Must("alloc_pd", err)
	d.foreign, err = dev.AllocPD()
	w.Must("alloc_pd", err)
	if w.Chance(0.3) {
		d.channel, err = dev.CreateCompChannel()
		w.Must("create_comp_channel", err)
	}
	d.cq, err = dev.CreateCQ(verbs.CQSpec{CQE: 512, Channel: d.channel})
	if w.Must("create_cq", err) && d.channel != nil {
		w.Must("req_notify_cq", d.cq.ReqNotify(w.Chance(0.3)))
	}
	d.recvCQ = d.cq
	if w.Chance(0.3) {
		d.recvCQ, err = dev.CreateCQ(verbs.CQSpec{CQE: 512})
		w.Must("create_cq", err)
	}
	if w.Failed() {
		return d
	}
	d.addRegions(size)
	if w.Chance(0.4) {
		d.addSharedQueue()
	}
	return d
}

// addRegions registers the memory. Memory that no peer may read is filled with secrets.
func (d *domain) addRegions(size int) {
	w := d.w
	secret := func() func([]byte) { return w.secrets.fill(w.secrets.add(false)) }
	maybe := func(p float64, a verbs.Access) verbs.Access {
		if w.Chance(p) {
			return a
		}
		return 0
	}
	d.source = d.newRegion("source", d.pd, maybe(0.8, verbs.RemoteRead)|maybe(0.5, verbs.LocalWrite),
		4, size, random(w.Rng))
	target := verbs.LocalWrite | maybe(0.9, verbs.RemoteWrite)
	if w.plan.placement {
		target |= verbs.FlushGlobal
	}
	d.target = d.newRegion("target", d.pd, target, 8, size, secret())
	d.inbox = d.newRegion("inbox", d.pd, verbs.LocalWrite, 24, size+verbs.GRHLen, secret())
	d.landing = d.newRegion("landing", d.pd, verbs.LocalWrite, 8, size, secret())
	d.words = d.newRegion("words", d.pd, verbs.LocalWrite|maybe(0.9, verbs.RemoteAtomic), 6, 8, random(w.Rng))
	d.other = d.newRegion("other domain's", d.foreign, allRemote|verbs.MWBind, 2, size, secret())
	if w.plan.windows > 0 {
		d.shown = d.newRegion("shown", d.pd, verbs.LocalWrite|verbs.MWBind, 5, size, secret())
	}
	if w.plan.windows > 0 && w.plan.mistakes > 0 && w.Chance(0.5) {
		d.addLodger()
	}
	d.marked = w.secrets.add(true)
	d.moving = d.newRegion("moving", d.pd, verbs.RemoteRead, 2, size, func([]byte) {})
	d.fillMoving()
	d.doomed = d.newRegion("doomed", d.pd, verbs.RemoteRead, 2, size, w.secrets.fill(d.marked))
}

// gid returns a row of the device's table, and its address: link-local, or not.
func (d *domain) gid(index int) (verbs.GID, netip.Addr) {
	if index >= len(d.gids) {
		return verbs.GID{}, netip.Addr{}
	}
	return d.gids[index].GID, d.gids[index].GID.Addr()
}

// domains lists the open domains.
func (w *world) domains() (all []*domain) {
	for _, h := range w.hosts {
		if h.dom != nil && !h.dom.closed {
			all = append(all, h.dom)
		}
		if h.managed != nil {
			all = h.managed.domains(all)
		}
	}
	return all
}
