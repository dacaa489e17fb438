package wirecheck

import (
	"fmt"
	"slices"
	"strings"
)

// answers records the responses of one queue pair to its peer.
type answers struct {
	bound bool
	fits  map[*flow]*progress // the requests that these answers may belong to
	lost  bool                // they belong to no requests, which was reported

	// The answer to a READ that is being sent.
	inside bool
	next   uint32 // PSN
	before identity
}

// progress is the position of the answers in the requests of one flow.
type progress struct {
	begun bool
	psn   int64 // everything before it is acknowledged
	msn   uint64
}

// seeAnswer checks an answer on its own and against the requests.
func (c *Checker) seeAnswer(f *flow, k *packet, say say) {
	f.answers.sequence(k, say)
	if !f.bound {
		c.bind(f)
	}
	if f.lost || len(f.fits) == 0 {
		return
	}
	var why []string
	for to, p := range f.fits {
		if text := p.check(&to.requests, k, len(f.fits) == 1); text != "" {
			delete(f.fits, to)
			why = append(why, text)
		}
	}
	if len(f.fits) == 0 {
		f.lost = true
		slices.Sort(why)
		say("%s", strings.Join(slices.Compact(why), ", or "))
	}
}

// bind finds the requests of the opposite direction.
func (c *Checker) bind(f *flow) {
	f.bound = true
	f.fits = map[*flow]*progress{}
	for key, to := range c.flows {
		if key.src.Addr() == f.key.dst && key.dst == f.key.src.Addr() &&
			key.transport == f.key.transport && to.started {
			f.fits[to] = &progress{}
		}
	}
}

// sequence checks the order of the packets that answer a READ. An answer may stop early
// because the peer has repeated the request, and a packet may be duplicated.
func (a *answers) sequence(k *packet, say say) {
	if k.form.kind != readAnswer {
		return
	}
	copied := k.psn == (a.next-1)&0xffffff && k.identity == a.before
	switch {
	case k.form.starts || copied:
	case !a.inside:
		say("a middle or last packet of an answer without a first one")
	case k.psn != a.next:
		say("expected PSN 0x%06x", a.next)
	}
	a.inside = !k.form.ends
	a.next, a.before = (k.psn+1)&0xffffff, k.identity
}

// check compares an answer with requests that it may belong to. With learn it can belong to no others, and the MTU is
// derived from it.
func (p *progress) check(r *requests, k *packet, learn bool) (why string) {
	psn := r.unwrap(k.psn)
	if psn >= r.top && !r.open || psn < r.base-1 {
		return fmt.Sprintf("no such request: 0x%06x to 0x%06x were sent", r.base&0xffffff, (r.top-1)&0xffffff)
	}
	d := r.at(psn)
	switch k.form.kind {
	case acknowledge:
		return p.acknowledgement(r, d, k, psn)
	case atomicAnswer:
		if d != nil && d.kind != atomic {
			return "no atomic has this PSN"
		}
	case readAnswer:
		if d == nil {
			break
		}
		if d.kind.placement() {
			if k.length > 0 || !k.form.starts || !k.form.ends {
				return "more than an empty answer to a FLUSH or an ATOMIC_WRITE"
			}
			break
		}
		if d.kind != read {
			return "no READ has this PSN"
		}
		mtus := r.mtus
		if why := d.data(&mtus, k, psn); why != "" {
			return why
		}
		if learn {
			if r.mtus = mtus; r.open {
				r.close()
			}
		}
	}
	if d != nil && psn == d.last {
		d.answered = true
	}
	if d == nil || !k.form.aeth {
		return ""
	}
	return p.count(r, k, d.last, false)
}

// acknowledgement checks an ACK or NAK.
func (p *progress) acknowledgement(r *requests, d *record, k *packet, psn int64) string {
	done := psn // the last PSN that it acknowledges
	if k.syndrome>>5 != syndromeACK {
		done--
	}
	if d != nil && d.kind == read && k.syndrome>>5 == syndromeACK && psn != d.last &&
		!slices.Contains(d.to, psn) && !r.open {
		return "acknowledges part of a READ"
	}
	if k.syndrome>>5 == syndromeRNR && d != nil && d.kind != send && !(d.kind == write && forms[d.op&0x1f].imm) {
		return "RNR NAK of a request that needs no RECV"
	}
	// A repeated READ is executed again: if its region or window was closed in the meantime, the kernel refuses it.
	refused := d != nil && d.kind == read && len(d.from) > 1 && k.syndrome == syndromeAccess
	if p.begun && done < p.psn-1 && !refused {
		return fmt.Sprintf("acknowledges up to 0x%06x, after 0x%06x", done&0xffffff, (p.psn-1)&0xffffff)
	}
	for i := len(r.records) - 1; i >= 0 && !r.wentBack && r.records[i].last >= p.psn; i-- {
		if d := &r.records[i]; d.last <= done && d.kind.answered() && !d.answered {
			return fmt.Sprintf("acknowledges the request 0x%06x, which is not answered", d.first&0xffffff)
		}
	}
	p.begun, p.psn = true, max(p.psn, done+1)
	const sequence = 0x60
	return p.count(r, k, done, k.syndrome>>5 != syndromeNAK || k.syndrome == sequence) // READs that are under way count
}

// count checks the message sequence number: the number of messages completed up to a PSN;
// an answer with data may also count later ones.
func (p *progress) count(r *requests, k *packet, done int64, exact bool) string {
	least, ok := r.ended(done)
	if !ok {
		return ""
	}
	most := least
	if !exact {
		most, _ = r.ended(r.top)
	}
	most += r.parts
	least -= min(r.doubt, least)
	const mask = 0xffffff
	if got := uint64(k.msn); (got-least)&mask > most-least {
		return fmt.Sprintf("MSN %d; %d to %d messages are complete", got, least&mask, most&mask)
	}
	msn := least + (uint64(k.msn)-least)&mask
	if msn < p.msn {
		return fmt.Sprintf("MSN %d after %d", msn, p.msn)
	}
	p.msn = msn
	return ""
}

// data checks position and length of a packet of a READ response.
func (d *record) data(mtus *mtuSet, k *packet, psn int64) string {
	off := psn - d.first
	ok := mtus.only(func(mtu int) bool {
		rest := int64(d.dma) - off*int64(mtu)
		return rest >= 0 && int64(k.length) == min(rest, int64(mtu)) && (rest > 0 || d.dma == 0)
	})
	if !ok {
		return fmt.Sprintf("%d bytes in packet %d of the answer to a READ of %d, with a path MTU of %s", k.length,
			off, d.dma, *mtus)
	}
	last := d.first + parts(d.dma, *mtus) - 1
	open := last != d.first+parts(d.dma, *mtus&-*mtus)-1
	switch {
	case k.form.starts && !slices.Contains(d.from, psn):
		return fmt.Sprintf("packet %d starts an answer, but no request starts there", off)
	case k.form.ends && !open && psn != last && !slices.Contains(d.to, psn):
		return fmt.Sprintf("packet %d ends an answer, but no request ends there", off)
	case !k.form.ends && psn == last && !open:
		return "the answer does not end with the READ"
	}
	return ""
}

// String lists the MTUs.
func (s mtuSet) String() string {
	var all []string
	s.each(func(mtu int) { all = append(all, fmt.Sprint(mtu)) })
	return strings.Join(all, " or ")
}
