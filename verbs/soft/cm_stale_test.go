package soft

import (
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// TestCMForgedStale sends requests with the address, GUID and queue pair of a live connection's peer: it lives on, whichever side it is and
// whether it has been used, and no request completes that was not posted.
func TestCMForgedStale(t *testing.T) {
	for name, used := range map[string]bool{"used": true, "unused": false} {
		for _, passive := range []bool{true, false} {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawCM(t, p)
				a, b := cmConnect(t, p)
				if used {
					cmTalk(t, a, b)
				}
				victim, peer := b, a
				if !passive { // the one that connected listens as well
					victim, peer = a, b
					listener := newCMSide(t, p, verbs.PortSpaceTCP)
					listener.listen(soft0)
				}
				c := victim.id.(*cmID).conn
				r.path = must(newPathTo(c))(t)
				req := r.nth(5)
				req.LocalCAGUID, req.LocalQPN = c.remoteGUID, c.remoteQPN
				req.Primary.RemoteGID = c.adapter.addrs[0].As16()
				ip := wire.CMIP{Src: peer.id.LocalAddr(), Dst: c.path.Src.Addr()}
				copy(req.PrivateData[:], ip.Append(nil))
				for range 20 {
					r.put(req)
					time.Sleep(probeTime)
				}
				victim.quiet()
				peer.quiet()
				if n := counterOf(t, p, c.adapter.name, "cm_stale_alive"); n == 0 {
					t.Errorf("%s, passive %t: nothing was doubted", name, passive)
				}
				cmTalk(t, a, b)
				ok(t, a.id.Disconnect())
				b.event(verbs.CMDisconnected)
			})
		}
	}
}

// TestCMStaleProbesLost loses probes: one that is answered suffices.
func TestCMStaleProbesLost(t *testing.T) {
	for lost, alive := range map[int]bool{staleProbes - 1: true, staleProbes: false} {
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawCM(t, p)
			a, b := cmConnect(t, p)
			cmTalk(t, a, b)
			c := b.id.(*cmID).conn
			r.path = must(newPathTo(c))(t)
			p.Fabric().SetFault(dropFirst(wire.RCSendOnly, lost))
			req := r.nth(5)
			req.LocalCAGUID, req.LocalQPN = c.remoteGUID, c.remoteQPN
			r.put(req)
			time.Sleep((staleProbes + 1) * probeTime)
			synctest.Wait()
			if got := c.is(connEstablished); got != alive {
				t.Errorf("%d of %d probes lost: alive %t, want %t", lost, staleProbes, got, alive)
			}
		})
	}
}

// newPathTo is the way of the peer's packets to a connection.
func newPathTo(c *conn) (*link.Path, error) {
	return link.NewPath(netip.AddrPortFrom(c.path.Dst.Addr(), 0xc001), netip.AddrPortFrom(c.path.Src.Addr(), wire.Port))
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
