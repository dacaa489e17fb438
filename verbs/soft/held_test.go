package soft

import (
	"net/netip"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// TestHeld: the provider lists what is open, by device and kind, and nothing once everything is closed.
func TestHeld(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		if held := p.Held(); held != nil {
			t.Errorf("before: %q", held)
		}
		active, passive := cmConnect(t, p)
		if held, want := p.Held(), []string{
			"connection manager: 2 communication IDs", "connection manager: 2 peers by ID",
			"connection manager: 2 peers by QP", "connection manager: 2 ports",
			"soft0: 1 contexts", "soft0: 1 queue pair numbers", "soft0: 1 QPs", "soft0: 1 CQs", "soft0: 1 PDs",
			"soft1: 1 contexts", "soft1: 1 queue pair numbers", "soft1: 1 QPs", "soft1: 1 CQs", "soft1: 1 PDs",
		}; !slices.Equal(held, want) {
			t.Errorf("connected: %q", held)
		}
		active.Close()
		passive.Close()
		if held := p.Held(); !slices.Contains(held, "connection manager: 2 connections in time-wait") {
			t.Errorf("in time-wait: %q", held)
		}
		time.Sleep(2 * time.Minute)
		// of the listener
		if held := p.Held(); !slices.Equal(held, []string{"connection manager: 1 ports", "soft1: 1 contexts"}) {
			t.Errorf("after: %q", held)
		}
	})
}

// TestUnknownDevice: every call that names a device refuses an unknown one. A name of another provider's binds no
// addresses.
func TestUnknownDevice(t *testing.T) {
	for device, p := range map[string]*Provider{"soft2": New(Options{}), "rxe0": New(Options{UDP: &UDPOptions{}})} {
		for name, err := range map[string]error{
			"Open": second(p.Open(device)), "SetFaults": p.SetFaults(device, verbs.Faults{}),
			"Faults": second(p.Faults(device)), "HWCounters": second(p.HWCounters(device)),
			"RecordedPackets": second(p.RecordedPackets(device)), "TapPackets": p.TapPackets(device, nil),
		} {
			wantErr(t, name+" "+device, err, syscall.ENODEV)
		}
		if made := len(p.adapters) > 0; made != (device == "soft2") {
			t.Errorf("%s: %d devices are there", device, len(p.adapters))
		}
		if p.Name() != verbs.SoftProvider {
			t.Errorf("the provider's name is %q", p.Name())
		}
	}
}

// TestManagedDevice: what the connection manager asks a device.
func TestManagedDevice(t *testing.T) {
	p := New(Options{Rand: func() uint64 { return 0x12345678 << 32 }})
	a := p.devices()[0]
	if port := a.SourcePort(); port != 0xc000|0x5678 {
		t.Errorf("source port 0x%x", port)
	}
	if q := a.FindQP(77); q != nil {
		t.Errorf("a queue pair %v", q)
	}
}

// TestCMInboxOverrun: while the connection manager opens a device it reads no messages, so the rest of a flood finds no
// room. Each message is counted as dropped once, whether it found no room or was read and is not known.
func TestCMInboxOverrun(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		d, opening, goOn := p.devices(), make(chan bool), make(chan bool)
		attach := d[0].attach
		d[0].attach = func(wake func()) (link.Link, error) {
			opening <- true
			<-goOn
			return attach(wake)
		}
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		path := must(link.NewPath(netip.MustParseAddrPort("127.0.0.77:5000"),
			netip.AddrPortFrom(soft1.Addr(), wire.Port)))(t)
		bound := make(chan error)
		go func() { bound <- s.ID.BindAddr(soft0) }()
		<-opening
		const sent = 2*object.MaxMADs + 3 // the reader may have taken one inbox of them
		for range sent {
			d[1].takeMAD(madPacket(make([]byte, wire.MADLen)), path)
		}
		if n := d[1].counts.manager.MADsDropped.Load(); n < 3 || n > object.MaxMADs+3 {
			t.Errorf("%d of %d messages found no room", n, sent)
		}
		close(goOn)
		ok(t, <-bound)
		synctest.Wait()
		for name, want := range map[string]uint64{"dropped_mads": sent, "rcvd_mads": sent} {
			if n := counterOf(t, p, "soft1", name); n != want {
				t.Errorf("%s is %d, want %d", name, n, want)
			}
		}
		s.Close()
	})
}

// TestOpenFails: a device whose link cannot be attached is not open, and can be opened later.
func TestOpenFails(t *testing.T) {
	p := New(Options{})
	a := p.devices()[0]
	attach := a.attach
	a.attach = func(func()) (link.Link, error) { return nil, syscall.EMFILE }
	wantErr(t, "Open", second(p.Open("soft0")), syscall.EMFILE)
	wantErr(t, "BindAddr", newCMSide(t, p, verbs.PortSpaceTCP).ID.BindAddr(soft0), syscall.EMFILE)
	if held := p.Held(); held != nil {
		t.Errorf("held: %q", held)
	}
	a.attach = attach
	ok(t, must(p.Open("soft0"))(t).Close())
}

// TestServedByWhom: requests are recorded only for a queue pair that exists at the address and records them, and each
// once.
func TestServedByWhom(t *testing.T) {
	p := New(Options{})
	a, b := connect(t, p, "soft0", "soft1", pairOptions{Timeout: patient})
	const none = -1
	served := func(gid verbs.GID, num verbs.QPN) int {
		all, recorded := p.Served(gid, num)
		if recorded {
			return len(all)
		}
		return none
	}
	if n := served(b.GID.GID, b.QP.Num()); n != none {
		t.Errorf("%d requests although none is recorded", n)
	}
	b.QP.(verbs.StepRecorder).RecordSteps(true)
	near, far := a.NewMR(4096, everything), b.NewMR(4096, everything)
	for _, tt := range []struct {
		op verbs.WROpcode
		n  uint32
	}{{verbs.WRRDMAWrite, 0}, {verbs.WRRDMAWrite, 2500}, {verbs.WRRDMARead, 0}, {verbs.WRRDMARead, 2500},
		{verbs.WRAtomicFetchAndAdd, 8}, {verbs.WRAtomicWrite, 8}} {
		a.Send(verbs.SendWR{Opcode: tt.op, SGList: sge(near, 0, tt.n), RemoteAddr: far.Addr(), RKey: far.RKey(),
			SendFlags: verbs.SendSignaled})
		a.Want(0, verbs.WCSuccess)
	}
	for _, tt := range []struct {
		gid  verbs.GID
		num  verbs.QPN
		want int
	}{{b.GID.GID, b.QP.Num(), 6}, {a.GID.GID, a.QP.Num(), none}, {a.GID.GID, b.QP.Num(), none},
		{b.GID.GID, b.QP.Num() + 1, none}, {verbs.GID{1}, b.QP.Num(), none}} {
		if n := served(tt.gid, tt.num); n != tt.want {
			t.Errorf("%s at %s: %d requests, want %d", tt.num, tt.gid, n, tt.want)
		}
	}
}
