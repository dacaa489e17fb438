// Package packets records the packets of software devices for a session: taps, captures
// and pcapng files. Package wire decodes the packets; the screens relate them to requests.
package packets

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// packets holds a session's taps and the one reader that decodes packets and distributes
// them. The devices put packets into an intake and never wait for the reader.
type packets struct {
	s      *core.Session
	intake *capture.Intake
	ring   capture.Ring

	mu    sync.Mutex // guards the fields below; held while reading, so only one goroutine reads
	taps  map[string]*packetTap
	watch bool // the screen records all devices
	stop  chan struct{}
	done  sync.WaitGroup

	Any atomic.Bool // at least one tap is on
}

// packetTap is one device's tap. It is kept after it is switched off, for its counts.
type packetTap struct {
	*capture.Tap
	device   string
	provider verbs.PacketTapper
	netdev   string // the network interface that is read; "" for a software device
	on       bool
	problem  error          // why it cannot be switched on
	capture  *packetCapture // nil: no capture is running
	failed   error          // why the last capture ended early; nil once a command has reported it
}

// readerPause lets packets accumulate, so that a flood is read in batches.
const readerPause = 5 * time.Millisecond

// TapsOf returns the session's taps, captures and packet ring.
func TapsOf(s *core.Session) *packets {
	return core.Part(s, func() *packets {
		return &packets{s: s, intake: capture.NewIntake(s.Start), taps: map[string]*packetTap{}}
	})
}

// Flush distributes the packets that have arrived up to now.
func Flush(s *core.Session) {
	p := TapsOf(s)
	if !p.Any.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readAll()
}

// Close ends all taps and captures and stops the reader. It returns the first error of a
// capture's file.
func Close(s *core.Session) error { return TapsOf(s).close() }

// tappers lists the devices whose packets can be tapped.
func tappers(s *core.Session) (names []string) {
	for _, p := range s.Opts.Providers {
		if _, ok := p.(verbs.PacketTapper); !ok {
			continue
		}
		infos, _ := p.Devices() // a device that cannot be listed cannot be named
		for _, info := range infos {
			names = append(names, info.Name)
		}
	}
	return names
}

// Watch starts or stops recording the packets of all software devices, and those that pass
// the network interfaces of open rxe devices, as far as that is permitted. The interface of
// a NIC is read only if the capture command says so: it may carry much else. Watch returns
// the names of the software devices; [Taps] tells of all. Unlike the capture command it
// does not put the packets on the time line.
func Watch(s *core.Session, on bool) ([]string, error) {
	names := tappers(s)
	p := TapsOf(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch = on && s.Ctx.Err() == nil
	for _, name := range names {
		t, err := p.tap(name)
		if err == nil {
			err = p.settle(t)
		}
		if err != nil {
			return names, err
		}
	}
	for _, name := range device.SoftRoCE(s) {
		if t, err := p.tap(name); err == nil {
			t.problem = p.settle(t)
		}
	}
	return names, nil
}

// Since appends to dst the recorded packets after number seq, oldest first. A limit other
// than 0 keeps only the newest that many.
func Since(s *core.Session, seq uint64, limit int, dst []*timeline.Packet) []*timeline.Packet {
	return TapsOf(s).ring.Since(seq, limit, dst)
}

// Use returns how many packets are kept, and how many may be.
func Use(s *core.Session) capture.Use { return TapsOf(s).ring.Use() }

// Limit sets how many bytes of packets are kept.
func Limit(s *core.Session, bytes int) { TapsOf(s).ring.Limit(bytes) }

// Tap describes the tap of one device.
type Tap struct {
	Device  string
	Netdev  string // the network interface that is read; "" for a software device
	On      bool
	Problem string // why it is not on; "" if it is, or was never wanted
	Capture string // progress of a running capture; "" for none
	capture.Counts
	Counters []verbs.HWCounter // the device's own, since it was created; nil if it has none
}

// Taps lists the devices that were ever tapped, sorted by name.
func Taps(s *core.Session) []Tap {
	p := TapsOf(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Tap, 0, len(p.taps))
	for _, t := range p.taps {
		v := Tap{Device: t.device, Netdev: t.netdev, On: t.on, Counts: t.Counts()}
		if t.problem != nil {
			v.Problem = t.problem.Error()
		}
		if t.capture != nil {
			v.Capture = t.capture.describe()
		}
		if from, ok := t.provider.(verbs.HWCounterReader); ok {
			v.Counters, _ = from.HWCounters(t.device) // a removed device has none
		}
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b Tap) int { return slices.Compare([]byte(a.Device), []byte(b.Device)) })
	return list
}

// tap returns the named device's tap. The caller holds p.mu, here and in all methods below
// that do not lock it.
func (p *packets) tap(name string) (*packetTap, error) {
	if t := p.taps[name]; t != nil {
		return t, nil
	}
	from, err := device.ProviderOf(p.s, name)
	if err != nil {
		return nil, err
	}
	t := &packetTap{Tap: p.intake.NewTap(name), device: name}
	if provider, ok := from.(verbs.PacketTapper); ok {
		t.provider = provider
	} else if t.netdev = device.InterfaceOf(p.s, name); t.netdev != "" {
		t.provider = &netdevTap{s: p.s, netdev: t.netdev}
	} else {
		return nil, &verbs.UnsupportedError{Feature: "capturing packets of " + name, Requires: nativeSniffing}
	}
	p.taps[name] = t
	return t, nil
}

// nativeSniffing says how to capture the packets of other devices.
const nativeSniffing = "a software device, or an open device with a network interface; for a NIC use ibdump (Mellanox), or tcpdump -i with the " +
	"RDMA device's name (libpcap 1.9) and rdmatui wire -"

// settle switches a tap on or off as needed, and starts or stops the reader.
func (p *packets) settle(t *packetTap) error {
	if err := t.turn(p.watch || t.capture != nil); err != nil {
		return err
	}
	on := false
	for _, each := range p.taps {
		on = on || each.on
	}
	p.Any.Store(on)
	switch {
	case on && p.stop == nil:
		p.stop = make(chan struct{})
		p.done.Add(1)
		go p.run(p.stop)
	case !on && p.stop != nil:
		close(p.stop)
		p.stop = nil
	}
	return nil
}

// turn switches the tap. One that is off has passed on every packet that had arrived.
func (t *packetTap) turn(on bool) error {
	if on == t.on {
		return nil
	}
	see := t.See
	if !on {
		see = nil
	}
	if err := t.provider.TapPackets(t.device, see); err != nil {
		return err
	}
	t.on = on
	return nil
}

// run reads packets until stop is closed.
func (p *packets) run(stop chan struct{}) {
	defer p.done.Done()
	defer p.s.Opts.Crashed.Catch()
	for {
		select {
		case <-stop:
			return
		case <-p.intake.Marked():
		}
		p.flush()
		select {
		case <-stop:
			return
		case <-time.After(readerPause):
		}
		p.flush()
	}
}

// flush distributes the packets that have arrived up to now.
func (p *packets) flush() {
	if !p.Any.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read()
}

// follower is a tapper that passes packets on some time after they have arrived.
type follower interface{ behind() bool }

// mostBehind is how long packets that have arrived are waited for. In a flood there is always one more.
const mostBehind = 50 * time.Millisecond

// readAll distributes also the packets that have arrived and were not passed on yet.
func (p *packets) readAll() {
	p.catchUp()
	p.read()
}

func (p *packets) catchUp() {
	wait := core.NewBackoff(mostBehind)
	for _, t := range p.taps {
		from, ok := t.provider.(follower)
		for ok && t.on && from.behind() && wait.Pause(context.Background()) == nil {
		}
	}
}

func (p *packets) read() {
	batch := p.intake.Take()
	if len(batch) == 0 {
		return
	}
	for i := range batch {
		batch[i].Decode()
	}
	p.ring.Add(batch)
	for i := range batch {
		if t := p.taps[batch[i].Device]; t != nil && t.capture != nil {
			p.record(t, &batch[i])
		}
	}
	p.s.Changed()
}

// close ends all taps and captures and stops the reader.
func (p *packets) close() (err error) {
	p.mu.Lock()
	p.watch = false
	for _, t := range p.taps {
		err = cmp.Or(err, t.turn(false))
	}
	p.read() // this ends captures that reach their limit
	for _, t := range p.taps {
		if t.capture != nil {
			if _, e := p.finish(t); err == nil {
				err = e
			}
		}
		err = cmp.Or(err, t.failed)
		if e := p.settle(t); err == nil {
			err = e
		}
	}
	p.mu.Unlock()
	p.done.Wait()
	return err
}
