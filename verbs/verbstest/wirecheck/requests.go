package wirecheck

import "sort"

// maxRecords bounds the recorded packets of a flow. A requester has few unacknowledged packets
// at a time.
const maxRecords = 1 << 12

// requests records the requests of one queue pair to its peer. Its PSNs do not wrap at 24
// bits.
type requests struct {
	mtus    mtuSet
	started bool
	base    int64 // the first PSN
	top     int64 // one past the highest PSN sent
	open    bool  // top is not known yet: the last request is a READ, and the MTU unknown
	records []record
	// wentBack: the requester has sent packets again. The responder may then drop an answer that it has not sent yet,
	// because it will be requested again.
	wentBack bool
	// parts counts the READs requested in parts, each of which the peer may have counted as a message.
	parts uint64
	// doubt is 1 if the first packet may have been a probe, which does not count as a message.
	doubt uint64

	// The message being sent.
	inside bool
	kind   kind
	total  int64 // bytes so far
	dma    int64 // announced bytes of a WRITE
}

// record is one request packet.
type record struct {
	identity
	kind     kind
	first    int64  // PSN
	last     int64  // PSN of the end of the answer; the least possible for a READ of unknown MTU
	done     uint64 // messages that are complete with it
	from, to []int64
	answered bool
}

// unwrap extends a PSN of 24 bits to one near the flow's.
func (r *requests) unwrap(psn uint32) int64 { return r.top + distance(psn, uint32(r.top)&0xffffff) }

// at returns the record of a PSN, nil if there is none or it was discarded.
func (r *requests) at(psn int64) *record {
	i := sort.Search(len(r.records), func(i int) bool { return r.records[i].first > psn }) - 1
	if i < 0 || psn > r.records[i].last && !(r.open && i == len(r.records)-1) {
		return nil
	}
	return &r.records[i]
}

// ended counts the messages whose last PSN is at most psn; ok is false if their records were
// discarded.
func (r *requests) ended(psn int64) (n uint64, ok bool) {
	i := sort.Search(len(r.records), func(i int) bool { return r.records[i].last > psn }) - 1
	if i < 0 {
		return 0, psn < r.base
	}
	return r.records[i].done, true
}

// request checks a packet of the requester.
func (r *requests) request(k *packet, say say) {
	if !r.started {
		r.started = true
		r.base, r.top = int64(k.psn), int64(k.psn)
		if k.probes() {
			r.doubt = 1
		}
	}
	r.settle(k)
	psn := r.unwrap(k.psn)
	switch {
	case psn > r.top:
		say("expected PSN 0x%06x", r.top&0xffffff)
		r.top = psn
		fallthrough
	case psn == r.top:
		r.first(k, say)
	case k.transport == transportUC:
		say("expected PSN 0x%06x: UC never retransmits", r.top&0xffffff)
	default:
		r.again(k, psn, say)
	}
}

// settle determines the end of the answer to the READ before, if the packet reveals it.
func (r *requests) settle(k *packet) {
	if !r.open {
		return
	}
	last := &r.records[len(r.records)-1]
	psn := last.first + distance(k.psn, uint32(last.first)&0xffffff)
	ahead := psn - last.first
	if ahead <= 0 {
		return
	}
	rest := func(mtu int) bool {
		return k.va == last.va+uint64(ahead)*uint64(mtu) && int64(k.identity.dma) <= int64(last.dma)-ahead*int64(mtu)
	}
	if k.form.kind != read || k.rkey != last.rkey || !r.mtus.only(rest) {
		r.mtus.only(func(mtu int) bool { return packets(last.dma, mtu) == ahead })
	}
	r.close()
}

// close ends the last READ if the number of its packets is known.
func (r *requests) close() {
	last := &r.records[len(r.records)-1]
	least, most := parts(last.dma, r.mtus), parts(last.dma, r.mtus&-r.mtus)
	r.open = least != most
	last.last = last.first + least - 1
	r.top = last.last + 1
}

// packets returns the number of packets for n bytes.
func packets(n uint32, mtu int) int64 { return max((int64(n)+int64(mtu)-1)/int64(mtu), 1) }

// parts returns the number of packets with the largest MTU of a set.
func parts(n uint32, mtus mtuSet) (count int64) {
	mtus.each(func(mtu int) { count = packets(n, mtu) })
	return count
}

// first checks a packet that is sent for the first time.
func (r *requests) first(k *packet, say say) {
	f := &k.form
	switch {
	case f.starts && r.inside:
		say("a message begins inside another")
	case !f.starts && !r.inside:
		say("a middle or last packet of a message without a first one")
	case !f.starts && f.kind != r.kind:
		say("a message continues with another operation")
	}
	if f.starts {
		r.total, r.dma = 0, int64(k.identity.dma)
	}
	r.total += int64(k.length)
	r.inside, r.kind = !f.ends, f.kind
	r.length(k, say)
	r.remember(k)
}

// length checks the payload against the MTU and the announced length.
func (r *requests) length(k *packet, say say) {
	f := &k.form
	if f.kind.answered() {
		return
	}
	fits := func(mtu int) bool {
		switch {
		case !f.ends:
			return k.length == mtu
		case !f.starts:
			return k.length > 0 && k.length <= mtu
		}
		return k.length <= mtu
	}
	if !r.mtus.only(fits) {
		say("%d bytes with a path MTU of %s", k.length, r.mtus)
	}
	if f.kind == write && (r.total > r.dma || f.ends && r.total != r.dma) {
		say("%d bytes of a WRITE of %d", r.total, r.dma)
	}
}

// remember records a new packet and moves top past it.
func (r *requests) remember(k *packet) {
	d := record{identity: k.identity, kind: k.form.kind, first: r.top, last: r.top}
	if len(r.records) > 0 {
		d.done = r.records[len(r.records)-1].done
	}
	if k.form.ends {
		d.done++
	}
	if len(r.records) == maxRecords {
		r.records = append(r.records[:0], r.records[maxRecords/4:]...)
	}
	r.records = append(r.records, d)
	if r.top++; d.kind == read {
		r.records[len(r.records)-1].from = []int64{d.first}
		r.close()
	}
}

// again checks a repeated packet: it must equal the original, or request the rest of a READ or a
// part of the rest.
func (r *requests) again(k *packet, psn int64, say say) {
	if k.probes() && psn >= r.base-1 {
		return
	}
	r.wentBack = true
	d := r.at(psn)
	switch {
	case psn < r.base:
		say("expected PSN 0x%06x, but the packet is before the first PSN", r.top&0xffffff)
	case d == nil:
	case d.kind != read:
		if d.identity != k.identity {
			say("sent again as %+v, before as %+v", k.identity, d.identity)
		}
	case k.form.kind != read || k.rkey != d.rkey:
		say("repeats the PSN of a READ with key 0x%x as another request", d.rkey)
	default:
		off := psn - d.first
		if !r.mtus.only(func(mtu int) bool {
			rest := int64(d.dma) - off*int64(mtu)
			part := int64(k.identity.dma)
			return k.va == d.va+uint64(off)*uint64(mtu) &&
				(part == rest || part < rest && part%int64(mtu) == 0 && part > 0)
		}) {
			say("asks for 0x%x+%d at packet %d of a READ of 0x%x+%d", k.va, k.identity.dma, off, d.va, d.dma)
			return
		}
		d.from = add(d.from, psn)
		r.mtus.each(func(mtu int) { d.to = add(d.to, psn+packets(k.identity.dma, mtu)-1) })
		all := r.mtus
		if !all.only(func(mtu int) bool { return int64(k.identity.dma) == int64(d.dma)-off*int64(mtu) }) {
			r.parts++
		}
	}
}

// probes recognizes an empty SEND with the PSN of an earlier packet: the peer acknowledges it as a
// duplicate, whatever that packet was, which shows that the peer is alive.
func (k *packet) probes() bool {
	return k.form.kind == send && k.form.starts && k.form.ends && k.length == 0 && !k.form.imm &&
		!k.form.invalidate && !k.solicited
}

// add records the latest of some PSNs.
func add(psns []int64, psn int64) []int64 {
	const enough = 64
	if len(psns) == enough {
		psns = append(psns[:0], psns[1:]...)
	}
	return append(psns, psn)
}
