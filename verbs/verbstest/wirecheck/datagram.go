package wirecheck

import "net/netip"

// senderKey identifies a sender of datagrams.
type senderKey struct {
	addr netip.Addr
	qpn  uint32
}

// datagrams records what one queue pair has sent.
type datagrams struct{ next uint32 }

// firstMADPSN is the PSN of a device's first management datagram after it was opened.
const firstMADPSN = 1

func (c *Checker) seeDatagram(k *packet, say say) {
	if group := k.dst.Addr().IsMulticast(); group != (k.dest == groupQPN) {
		say("a queue pair number that does not go with the address")
	}
	if k.source == 0 || k.source >= groupQPN {
		say("from queue pair 0x%x", k.source)
	}
	if k.length > largestMTU {
		say("%d bytes in a datagram", k.length)
	}
	if k.dest == gsiQPN && (k.qkey != gsiKey || k.source != gsiQPN || k.length != madLen) {
		say("no management datagram: Q_Key 0x%x, from 0x%x, %d bytes", k.qkey, k.source, k.length)
	}
	key := senderKey{k.src.Addr(), k.source}
	d := c.datagrams[key]
	if d == nil {
		d = &datagrams{next: k.psn}
		c.datagrams[key] = d
	}
	if k.psn != d.next && !(k.source == gsiQPN && k.psn == firstMADPSN) {
		say("expected PSN 0x%06x", d.next)
	}
	d.next = (k.psn + 1) & 0xffffff
}
