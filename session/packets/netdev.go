package packets

import (
	"sync"

	"rdmatui/session/capture"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// netdevTap gives the RoCE packets that pass a device's network interface. Those are
// all that an rxe device exchanges with other hosts, and none that it sends to its own
// host; of a NIC they are what it hands to the kernel.
type netdevTap struct {
	s      *core.Session
	netdev string

	reader *capture.Reader // nil: the tap is off
	done   sync.WaitGroup
}

var (
	_ verbs.PacketTapper = (*netdevTap)(nil)
	_ follower           = (*netdevTap)(nil)
)

// behind says whether the reader has not yet passed on a packet that has arrived. It is called with packets.mu held.
func (t *netdevTap) behind() bool { return t.reader != nil && !t.reader.CaughtUp() }

// TapPackets implements [verbs.PacketTapper]. It is called with packets.mu held.
func (t *netdevTap) TapPackets(device string, see func(verbs.Packet)) error {
	if t.reader != nil {
		t.reader.Stop()
		t.done.Wait()
		err := t.reader.Close()
		t.reader = nil
		if err != nil {
			return err
		}
	}
	if see == nil {
		return nil
	}
	r, err := capture.Live(t.netdev)
	if err != nil {
		return err
	}
	t.reader = r
	t.done.Add(1)
	go func() {
		defer t.done.Done()
		defer t.s.Opts.Crashed.Catch()
		t.read(r, device, see)
	}()
	return nil
}

// read reads until the tap is switched off, or the interface is gone.
func (t *netdevTap) read(r *capture.Reader, device string, see func(verbs.Packet)) {
	var f capture.Frame
	for r.Next(&f) == nil {
		see(verbs.Packet{At: f.At, Device: device, Outgoing: f.Outgoing, Src: f.Src, Dst: f.Dst,
			IP: f.IP, Data: f.Data})
	}
}
