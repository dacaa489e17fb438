package wirecheck

import "sort"

// maxRecords bounds the packets of a flow that are remembered. A requester has
// few unacknowledged at a time.
const maxRecords = 1 << 12

// requests is what one queue pair has asked of its peer. PSNs are counted on
// beyond 24 bits.
type requests struct {
	mtus    mtuSet
	started bool
	base    int64 // the first PSN
	top     int64 // behind the highest PSN sent
	open    bool  // top is not known yet: the last request is a READ, and the MTU unknown
	records []record
	// wentBack: something was sent again. An answer that was not sent yet may then be given up, as it is going to be asked for again.
	wentBack bool
	// parts counts the READs that were asked for in parts, each of which the peer may have taken for a message.
	parts uint64
	// doubt is 1 where the first packet may have been a probe, which is no message.
	doubt uint64

	// The message being sent.
	inside bool
	kind   kind
	total  int64 // bytes so far
	dma    int64 // that were announced; of a WRITE
}

// record is one request packet.
type record struct {
	identity
	kind     kind
	first    int64  // PSN
	last     int64  // PSN of the end of the answer; of a READ whose MTU is not known, the least possible
	done     uint64 // messages that are complete with it
	from, to []int64
	answered bool
}

// unwrap counts a PSN on from the flow's.
func (r *requests) unwrap(psn uint32) int64 { return r.top + distance(psn, uint32(r.top)&0xffffff) }

// at finds the record that a PSN belongs to, nil where it is none or forgotten.
func (r *requests) at(psn int64) *record {
	i := sort.Search(len(r.records), func(i int) bool { return r.records[i].first > psn }) - 1
	if i < 0 || psn > r.records[i].last && !(r.open && i == len(r.records)-1) {
		return nil
	}
	return &r.records[i]
}

// ended counts the messages whose last PSN is at most psn; ok is false where that
// is forgotten.
func (r *requests) ended(psn int64) (n uint64, ok bool) {
	i := sort.Search(len(r.records), func(i int) bool { return r.records[i].last > psn }) - 1
	if i < 0 {
		return 0, psn < r.base
	}
	return r.records[i].done, true
}

// request checks a packet of the requester's.
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
		say("PSN 0x%06x was due", r.top&0xffffff)
		r.top = psn
		fallthrough
	case psn == r.top:
		r.first(k, say)
	case k.transport == transportUC:
		say("PSN 0x%06x was due: UC sends nothing again", r.top&0xffffff)
	default:
		r.again(k, psn, say)
	}
}

// settle finds out where the answer to the READ before ends, if the packet tells.
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

// close ends the READ that was sent last where its packets can be counted by now.
func (r *requests) close() {
	last := &r.records[len(r.records)-1]
	least, most := parts(last.dma, r.mtus), parts(last.dma, r.mtus&-r.mtus)
	r.open = least != most
	last.last = last.first + least - 1
	r.top = last.last + 1
}

// packets is how many packets n bytes take.
func packets(n uint32, mtu int) int64 { return max((int64(n)+int64(mtu)-1)/int64(mtu), 1) }

// parts is packets with the largest MTU of a set.
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
		say("a message goes on that did not begin")
	case !f.starts && f.kind != r.kind:
		say("a message goes on as another operation")
	}
	if f.starts {
		r.total, r.dma = 0, int64(k.identity.dma)
	}
	r.total += int64(k.length)
	r.inside, r.kind = !f.ends, f.kind
	r.length(k, say)
	r.remember(k)
}

// length holds the payload against the MTU and what was announced.
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

// remember keeps a new packet and moves top behind it.
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

// again checks a packet that is sent once more: it is what it was, or asks for the
// rest of a READ, or a part of that.
func (r *requests) again(k *packet, psn int64, say say) {
	if k.probes() && psn >= r.base-1 {
		return
	}
	r.wentBack = true
	d := r.at(psn)
	switch {
	case psn < r.base:
		say("PSN 0x%06x was due, and what is sent lies before the first", r.top&0xffffff)
	case d == nil:
	case d.kind != read:
		if d.identity != k.identity {
			say("sent again as %+v, before as %+v", k.identity, d.identity)
		}
	case k.form.kind != read || k.rkey != d.rkey:
		say("sent again where a READ was, of key 0x%x", d.rkey)
	default:
		off := psn - d.first
		if !r.mtus.only(func(mtu int) bool {
			rest := int64(d.dma) - off*int64(mtu)
			part := int64(k.identity.dma)
			return k.va == d.va+uint64(off)*uint64(mtu) && (part == rest || part < rest && part%int64(mtu) == 0 && part > 0)
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

// probes tells an empty SEND that takes the place of a packet which was sent: the
// peer acknowledges it as a copy, whatever that was, and so tells that it lives.
func (k *packet) probes() bool {
	return k.form.kind == send && k.form.starts && k.form.ends && k.length == 0 && !k.form.imm && !k.form.invalidate && !k.solicited
}

// add keeps the latest of some PSNs.
func add(psns []int64, psn int64) []int64 {
	const enough = 64
	if len(psns) == enough {
		psns = append(psns[:0], psns[1:]...)
	}
	return append(psns, psn)
}
