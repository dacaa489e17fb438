package cm_test

import (
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// TestCMForgedStale sends requests with the address, GUID and queue pair of a live connection's peer: it stays
// established on either side, used or unused, and no request completes that was not posted.
func TestCMForgedStale(t *testing.T) {
	for name, used := range map[string]bool{"used": true, "unused": false} {
		for _, passive := range []bool{true, false} {
			virtual(t, func(t *testing.T, p *soft.Provider) {
				r := newRawCM(t, p)
				a, b := cmConnect(t, p)
				if used {
					cmTalk(t, a, b)
				}
				victim, peer := b, a
				if !passive { // the connecting identifier also listens
					victim, peer = a, b
					listener := newCMSide(t, p, verbs.PortSpaceTCP)
					listener.Listen(soft0)
				}
				c := connectionOf(victim)
				r.path = must(newPathTo(c))(t)
				req := r.nth(5)
				req.LocalCAGUID, req.LocalQPN = c.RemoteGUID, c.RemoteQPN
				req.Primary.RemoteGID = c.Device.Addrs()[0].As16()
				ip := wire.CMIP{Src: peer.ID.LocalAddr(), Dst: c.Path.Src.Addr()}
				copy(req.PrivateData[:], ip.Append(nil))
				for range 20 {
					r.put(req)
					time.Sleep(cm.ProbeTime)
				}
				victim.Quiet()
				peer.Quiet()
				if n := counterOf(t, p, nameOf(t, p, c.Device.GUID()), "cm_stale_alive"); n == 0 {
					t.Errorf("%s, passive %t: no probe was sent", name, passive)
				}
				cmTalk(t, a, b)
				ok(t, a.ID.Disconnect())
				b.Event(verbs.CMDisconnected)
			})
		}
	}
}

// TestCMStaleProbesLost loses probes: one that is answered suffices.
func TestCMStaleProbesLost(t *testing.T) {
	for lost, alive := range map[int]bool{cm.StaleProbes - 1: true, cm.StaleProbes: false} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			r := newRawCM(t, p)
			a, b := cmConnect(t, p)
			cmTalk(t, a, b)
			c := connectionOf(b)
			r.path = must(newPathTo(c))(t)
			p.Fabric().SetFault(dropFirst(wire.RCSendOnly, lost))
			req := r.nth(5)
			req.LocalCAGUID, req.LocalQPN = c.RemoteGUID, c.RemoteQPN
			r.put(req)
			time.Sleep((cm.StaleProbes + 1) * cm.ProbeTime)
			synctest.Wait()
			if got := connectionOf(b).State == cm.StateEstablished; got != alive {
				t.Errorf("%d of %d probes lost: alive %t, want %t", lost, cm.StaleProbes, got, alive)
			}
		})
	}
}

// newPathTo returns the path of the peer's packets to a connection.
func newPathTo(c cm.Connection) (*link.Path, error) {
	return link.NewPath(netip.AddrPortFrom(c.Path.Dst.Addr(), 0xc001), netip.AddrPortFrom(c.Path.Src.Addr(), wire.Port))
}

// dropFirst loses the first packets of an opcode.
func dropFirst(op wire.Opcode, n int) link.Fault {
	var lost atomic.Int32
	return func(k *link.Packet) link.Verdict {
		h, err := wire.Parse(k.Data)
		if err == nil && h.BTH.Opcode == op && lost.Add(1) <= int32(n) {
			return link.Drop
		}
		return link.Deliver
	}
}

// nameOf returns the name of a device.
func nameOf(t *testing.T, p *soft.Provider, guid verbs.GUID) string {
	t.Helper()
	for _, d := range must(p.Devices())(t) {
		if d.NodeGUID == guid {
			return d.Name
		}
	}
	t.Fatalf("no device has the GUID %s", guid)
	return ""
}
