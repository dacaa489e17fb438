package soft

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
)

// Options configure a provider. The zero value connects both devices in memory.
type Options struct {
	// UDP puts the devices on UDP port 4791, where other processes and hosts reach them; nil keeps them in memory.
	UDP *UDPOptions
	// Rand is the source of keys, queue pair numbers and identifiers; nil means the system's generator. Tests set it
	// for repeatable numbers.
	Rand func() uint64
	// Fabric joins the devices in memory with those of other providers, each with its own connection manager, as
	// several hosts in one process. nil: a fabric for this provider alone. Not used with UDP.
	Fabric *link.Fabric
	// Addrs are the addresses of soft0 and soft1 in memory, in addition to a link-local one each; missing ones are
	// 127.0.0.1 and 127.0.0.2. Providers on one Fabric need different ones: Open fails with EADDRINUSE.
	Addrs []netip.Addr
	// Memory is the budget of the devices' objects; nil: that of the process.
	Memory *memory.Budget
	// Settle makes a poll of a completion queue wait until the device has served all posted requests, so that a test in
	// virtual time polls the same completions whichever goroutine runs first.
	Settle bool
	// Crashed is called when a goroutine of a device panics.
	Crashed verbs.CrashHook
}

// Provider has the software devices soft0 and soft1, connected over UDP or by an in-memory fabric.
type Provider struct {
	opts   Options
	random *object.Random
	fabric *link.Fabric

	manager cm.Manager // of connections

	once     sync.Once // guards the fields below, which are made on first use
	adapters []*adapter
	notes    []verbs.Note
	refused  error // why the addresses that were asked for could not be bound
	// kernelRoutes means that the devices' addresses are the host's, so that its routing table applies.
	kernelRoutes bool
}

var (
	_ verbs.Provider = (*Provider)(nil)
	_ verbs.Noter    = (*Provider)(nil)
)

// New creates a provider. Ports are bound when devices are first requested; nothing runs until one is opened.
func New(opts Options) *Provider {
	if opts.Rand == nil {
		opts.Rand = systemRand
	}
	if opts.Fabric == nil {
		opts.Fabric = new(link.Fabric)
	}
	if opts.Memory == nil {
		opts.Memory = memory.OfProcess()
	}
	p := &Provider{opts: opts, random: &object.Random{Next: opts.Rand}, fabric: opts.Fabric}
	p.manager.Init(cm.Config{
		Devices: p.managedDevices, KernelRoutes: func() bool { return p.kernelRoutes },
		Random: p.random, Memory: opts.Memory, Crashed: opts.Crashed,
	})
	if opts.UDP == nil {
		p.devices()
	}
	return p
}

// devices returns the adapters; the first call chooses their carriers.
func (p *Provider) devices() []*adapter {
	p.once.Do(func() {
		if p.opts.UDP == nil || !p.overUDP() {
			p.inMemory()
		}
	})
	return p.adapters
}

// Bind binds the devices' ports now rather than with the first use. It fails if the addresses of
// the options cannot be bound; the devices are then in memory, as they are if no free address is
// found.
func (p *Provider) Bind() error {
	p.devices()
	return p.refused
}

// overUDP creates the devices over UDP. If not all addresses can be bound, it notes why and returns false.
func (p *Provider) overUDP() bool {
	bind := func(addr netip.Addr) (*link.Endpoint, error) {
		return link.Bind(addr, link.Options{NoGSO: p.opts.UDP.NoGSO, Crashed: p.opts.Crashed})
	}
	bound, err := p.opts.UDP.bindAll(bind)
	if err != nil {
		if len(p.opts.UDP.Addrs) > 0 {
			p.refused = helped(err, bind)
		}
		p.notes = append(p.notes, fallBackNote(err, bind))
		return false
	}
	p.kernelRoutes = true
	host := machine()
	for i, e := range bound {
		a := p.add(i, stableGUID(host, e.Addr()), stableGUID(host, netip.Addr{}), udpCarrier(e))
		p.notes = append(p.notes, bufferNotes(a.name, e.ReceiveBuffer())...)
	}
	return true
}

func (p *Provider) inMemory() {
	image := newGUID(p.random)
	for i := range maxDevices {
		guid, addr := newGUID(p.random), loopback(i)
		if i < len(p.opts.Addrs) {
			addr = p.opts.Addrs[i]
		}
		p.add(i, guid, image, memoryCarrier(p.fabric, guid, addr))
	}
}

// managedDevices lists the devices for the manager.
func (p *Provider) managedDevices() []cm.Device {
	adapters := p.devices()
	list := make([]cm.Device, len(adapters))
	for i, a := range adapters {
		list[i] = a
	}
	return list
}

func (p *Provider) add(i int, guid, image verbs.GUID, c *carrier) *adapter {
	a := newAdapter(p, fmt.Sprint(prefix, i), guid, image, c)
	p.adapters = append(p.adapters, a)
	return a
}

// newAdapter creates a device of a provider; the carrier's addresses become its GIDs.
func newAdapter(p *Provider, name string, guid, image verbs.GUID, c *carrier) *adapter {
	a := &adapter{
		name: name, guid: guid, image: image, carrier: c, manager: &p.manager,
		crashed: p.opts.Crashed, recorder: recorder{began: time.Now()},
	}
	a.counts.transport = &a.transport.Counts
	a.transport.Init(transport.Config{
		Name: name, Addrs: c.addrs, MTU: c.mtu, Source: c.source, Polled: c.polled, Settle: p.opts.Settle,
		Random: p.random, Memory: p.opts.Memory, Crashed: p.opts.Crashed, TakeMAD: a.takeMAD, UseHeaders: a.useHeaders,
	})
	for i, ip := range c.addrs {
		a.gids = append(a.gids, verbs.GIDEntry{
			PortNum: 1, Index: i, GID: verbs.GIDFromAddr(ip), Type: verbs.GIDTypeRoCEv2, Netdev: c.netdev,
		})
	}
	return a
}

// Notes returns where the devices differ from what was requested.
func (p *Provider) Notes() []verbs.Note {
	p.devices()
	return slices.Clone(p.notes)
}

// Name returns [verbs.SoftProvider].
func (p *Provider) Name() string { return verbs.SoftProvider }

// Fabric returns the link between devices in memory, for taps and faults.
func (p *Provider) Fabric() *link.Fabric { return p.fabric }

// Devices lists soft0 and soft1; only soft0 if a single address was given.
func (p *Provider) Devices() ([]verbs.DeviceInfo, error) {
	infos := make([]verbs.DeviceInfo, len(p.devices()))
	for i, a := range p.devices() {
		infos[i] = a.info()
	}
	return infos, nil
}

// Open opens a device. It may be open several times; the contexts share its queue pair numbers and its link.
func (p *Provider) Open(name string) (verbs.Device, error) {
	a := p.adapter(name)
	if a == nil {
		return nil, verbs.NewOpError("ibv_open_device", fmt.Sprintf("%q", name), syscall.ENODEV)
	}
	if err := a.acquire(); err != nil {
		return nil, verbs.NewOpError("ibv_open_device", name, err)
	}
	return newDevice(a, false), nil
}

// prefix begins the name of every device.
const prefix = "soft"

// adapter returns the adapter with the given name, nil if there is none. The name of a device of another provider binds
// no addresses.
func (p *Provider) adapter(name string) *adapter {
	if !strings.HasPrefix(name, prefix) {
		return nil
	}
	for _, a := range p.devices() {
		if a.name == name {
			return a
		}
	}
	return nil
}

func systemRand() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.NativeEndian.Uint64(b[:])
}

// newGUID makes a random EUI-64 that is marked as locally administered.
func newGUID(r *object.Random) (g verbs.GUID) {
	binary.BigEndian.PutUint64(g[:], r.Uint64())
	return local(g)
}
