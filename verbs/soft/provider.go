package soft

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net/netip"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// Name is what the provider calls itself.
const Name = "soft"

// Options vary a provider. The zero value is what users get.
type Options struct {
	// Rand is where keys, queue pair numbers and identifiers come from; nil is the system's generator. Tests make it repeatable.
	Rand func() uint64
	// Crashed is told of a panic in a device's own goroutines.
	Crashed verbs.CrashHook
}

// Provider is the software devices soft0 and soft1, joined by an in-memory fabric of their own.
type Provider struct {
	fabric   *link.Fabric
	adapters []*adapter
}

var _ verbs.Provider = (*Provider)(nil)

// New makes a provider. Nothing runs until a device is opened.
func New(opts Options) *Provider {
	if opts.Rand == nil {
		opts.Rand = systemRand
	}
	random := &lockedRand{next: opts.Rand}
	p := &Provider{fabric: new(link.Fabric)}
	image := newGUID(random)
	for i := range 2 {
		addr := netip.AddrFrom4([4]byte{127, 0, 0, byte(1 + i)})
		a := newAdapter(fmt.Sprint("soft", i), addr, p.fabric, image, random)
		a.crashed = opts.Crashed
		p.adapters = append(p.adapters, a)
	}
	return p
}

// Name returns "soft".
func (p *Provider) Name() string { return Name }

// Fabric returns the link between the devices, to tap it or to make it lose packets.
func (p *Provider) Fabric() *link.Fabric { return p.fabric }

// Devices lists soft0 and soft1.
func (p *Provider) Devices() ([]verbs.DeviceInfo, error) {
	infos := make([]verbs.DeviceInfo, len(p.adapters))
	for i, a := range p.adapters {
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
	return newContext(a), nil
}

// adapter returns the adapter of that name, nil where there is none.
func (p *Provider) adapter(name string) *adapter {
	for _, a := range p.adapters {
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

// lockedRand lets several goroutines share a generator.
type lockedRand struct {
	mu   sync.Mutex
	next func() uint64
}

func (r *lockedRand) uint64() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next()
}

func (r *lockedRand) uint32() uint32 { return uint32(r.uint64() >> 32) }

// newGUID makes a random EUI-64 that is marked as locally administered.
func newGUID(r *lockedRand) (g verbs.GUID) {
	binary.BigEndian.PutUint64(g[:], r.uint64())
	g[0] = 0x02
	return g
}
