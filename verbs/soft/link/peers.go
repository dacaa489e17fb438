package link

import (
	"net/netip"
	"time"

	"rdmatui/verbs/wire"
)

// peerTable remembers senders: the path of each port, and for IPv4 the identifications of each address.
type peerTable struct {
	local netip.AddrPort
	now   time.Time // arrival of the current packets
	last  *peer     // sender of the previous packet
	peers recent[netip.AddrPort, *peer]

	sources  recent[netip.Addr, *source]
	stranger source // stands for all addresses from which nothing was accepted
}

// peer is one port that packets come from.
type peer struct {
	path   Path
	source *source
	id     uint16 // identification
}

// check returns the path of an accepted packet, nil for any other. Only a packet with a right CRC may use memory.
func (t *peerTable) check(from netip.AddrPort, data []byte) (*Path, verdict) {
	p := t.last
	if p == nil || p.path.Src != from {
		if p, _ = t.peers.get(from); p == nil {
			return t.meet(from, data)
		}
	}
	if v := p.verify(data, t.now); v != accepted {
		return nil, v
	}
	t.last = p
	return &p.path, accepted
}

// meet checks a packet from an unknown port.
func (t *peerTable) meet(from netip.AddrPort, data []byte) (*Path, verdict) {
	icrc, err := wire.NewICRC(wire.Path{Src: from, Dst: t.local, DF: true})
	if err != nil {
		return nil, damaged
	}
	p := &peer{path: Path{from, t.local, defaultHeader, icrc}}
	if !from.Addr().Is6() {
		if v := t.introduce(p, data); v != accepted {
			return nil, v
		}
	} else if !icrc.Verify(0, data) {
		return nil, damaged
	}
	t.peers.put(from, p)
	t.last = p
	return &p.path, accepted
}

// introduce checks the first IPv4 packet of a peer and finds its source.
func (t *peerTable) introduce(p *peer, data []byte) verdict {
	s, known := t.sources.get(p.path.Src.Addr())
	if !known {
		s = &t.stranger
	}
	id, ok := p.path.icrc.RecoverID(s.guess, data)
	if !ok {
		s.damage(t.now)
		return damaged
	}
	if !known {
		t.stranger.leap(t.now)
		s = newSource(id, t.stranger.evidence)
		t.sources.put(p.path.Src.Addr(), s)
		if s.suspect() {
			return implausible // until the next one is consistent
		}
	}
	p.source, p.id = s, id
	return s.admit(id, distance(id, s.last), true, t.now)
}

// verify checks a packet of a known peer.
func (p *peer) verify(data []byte, now time.Time) verdict {
	s := p.source
	if s == nil { // IPv6
		if p.path.icrc.Verify(0, data) {
			return accepted
		}
		return damaged
	}
	id, ok := p.path.icrc.RecoverID(s.guess, data)
	if !ok {
		s.damage(now)
		return damaged
	}
	v := s.admit(id, min(distance(id, p.id), distance(id, s.last)), false, now)
	if v == accepted {
		p.id = id
	}
	return v
}

// generation is how many entries of a [recent] are evicted at once.
const generation = 512

// recent is a map of the entries used most recently, at most twice generation. A sender with many addresses can neither
// fill the memory nor evict peers that are active meanwhile.
type recent[K comparable, V any] struct{ young, old map[K]V }

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.young[k]
	if !ok {
		if v, ok = r.old[k]; ok {
			delete(r.old, k)
			r.put(k, v)
		}
	}
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	if r.young == nil || len(r.young) >= generation {
		r.young, r.old = make(map[K]V), r.young
	}
	r.young[k] = v
}
