// Package preflight checks, before a request is posted, whether its requirements are
// met as far as the session knows: states, room in the queues, memory, access rights,
// and the peer if it is in the session. It reads a snapshot and makes no calls. A
// form shows the findings while it is filled in, and a posting line warns of what is
// missing. A finding never prevents a post: the provider decides. Incomplete forms,
// and how findings look, are the screen's business.
package preflight

import (
	"fmt"
	"math"
	"slices"
	"syscall"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// Request is a request to be posted, with what is known of the rest of the line.
type Request struct {
	Snapshot *core.Snapshot
	WR       verbs.SendWR // for a RECV only the list matters
	Times    uint64       // how often it is to be posted at once; 0 is once
	Ahead    int          // requests to be posted to the same queue first

	Peer *core.QPView // nil: look it up in the snapshot
	AH   *core.AHView // of a datagram; nil: unknown
	Bind *Binding     // of BIND_MW; nil: unknown

	AnyRemote bool // remote_addr and rkey are unknown: skip their checks
	AnyKey    bool // invalidate_rkey is unknown
	AnyList   bool // the SGE list, or the length of a FLUSH, is partly unknown

	noRecv bool // a missing RECV at the peer was already reported
}

// Send reports on a request for the send queue of q.
func (r *Request) Send(q *core.QPView) Report {
	var c Report
	t := r.WR.Opcode.Traits()
	if why := WhyNot(r.Snapshot, q, r.WR.Opcode); why != "" {
		c.Missing("%s", why)
	}
	r.transport(&c, q)
	c.refuses(0, core.Errnos{syscall.EINVAL, syscall.EOPNOTSUPP})
	r.sendState(&c, q)
	r.ahead(&c, q)
	if t.HasList() {
		r.sendList(&c, q)
	}
	r.flags(&c, q) // problems at this end come before those at the peer
	peer := r.other(q)
	if !t.Local() {
		r.receiver(&c, q, peer)
	}
	if t.Remote {
		r.remote(&c, q, peer)
	}
	if t.Invalid && !r.AnyKey {
		r.invalidate(&c, q, peer)
	}
	if r.Bind != nil {
		c = append(c, r.Bind.Check(r.Snapshot, q)...)
	}
	if q.Type == verbs.UD {
		r.datagram(&c, q, peer)
	}
	return c
}

// Recv reports on a request for the receive queue of q, or, if q is nil, for a shared
// receive queue.
func (r *Request) Recv(q *core.QPView, srq *core.SRQView) Report {
	var c Report
	pd, field := "", "max_recv_sge"
	var limit uint32
	switch {
	case srq != nil:
		pd, limit, field = srq.PD, srq.MaxSGE, "max_sge"
		r.room(&c, srq.RecvPosted, srq.MaxWR, "RECVs", "posted to "+srq.Name, "max_wr")
	case q.SRQ != "":
		c.Missing("%s takes its RECVs from %s: post_srq_recv %s", q.Name, q.SRQ, q.SRQ)
		c.refuses(0, whenInvalid)
		return c
	default:
		pd, limit = q.PD, q.Cap.MaxRecvSGE
		name := q.Name + " is " + q.State.String()
		if q.State == verbs.QPErr {
			c.add(false, FixState, "", name+": the request completes with WR_FLUSH_ERR")
		} else {
			from := len(c)
			c.add(q.State != verbs.QPReset, FixState, name+": RECVs can be posted", name+": a RECV needs INIT or later")
			c.refuses(from, whenState)
		}
		r.room(&c, q.RecvPosted, q.Cap.MaxRecvWR, "RECVs", "posted", "max_recv_wr")
	}
	r.length(&c, limit, field)
	r.list(&c, pd, true, false)
	return c
}

func (r *Request) sendState(c *Report, q *core.QPView) {
	name := q.Name + " is " + q.State.String()
	if q.State == verbs.QPSQD {
		c.Unsure("%s: the request waits until it is RTS", name)
	} else if q.State == verbs.QPErr || q.State == verbs.QPSQE {
		c.add(false, FixState, "", name+": the request completes with WR_FLUSH_ERR")
	} else {
		from := len(*c)
		c.add(q.State == verbs.QPRTS, FixState, name+": SENDs can be posted", name+": SENDs need RTS")
		c.refuses(from, whenState)
	}
	r.room(c, q.SendOutstanding, q.Cap.MaxSendWR, "requests", "outstanding", "max_send_wr")
}

// room checks for free entries in a queue.
func (r *Request) room(c *Report, posted int, limit uint32, what, done, field string) {
	asked, many := max(min(r.Times, math.MaxInt32), 1), ""
	if asked > 1 {
		many = fmt.Sprintf(" for %d", asked)
	}
	verb, with := "are", ""
	if posted == 1 {
		verb = "is"
	}
	if r.Ahead > 0 {
		with = fmt.Sprintf(", %d in the chain", r.Ahead)
	}
	text := fmt.Sprintf("%d of %d %s %s %s%s", posted, limit, what, verb, done, with)
	from := len(*c)
	c.add(uint64(posted)+uint64(r.Ahead)+asked <= uint64(limit), FixRoom, text,
		fmt.Sprintf("no room%s: %s (%s)", many, text, field))
	c.refuses(from, whenFull)
}

func (r *Request) sendList(c *Report, q *core.QPView) {
	receives := r.WR.Opcode.Traits().Receives
	r.length(c, q.Cap.MaxSendSGE, "max_send_sge")
	if r.WR.SendFlags&verbs.SendInline == 0 || receives { // inline data is copied at the post, whatever the keys are
		r.list(c, q.PD, receives, true)
	}
}

// length checks the number of SGEs.
func (r *Request) length(c *Report, limit uint32, field string) {
	if n := len(r.WR.SGList); n > 1 || n > int(limit) {
		from := len(*c)
		c.Add(n <= int(limit), fmt.Sprintf("%d SGEs of %d", n, limit),
			fmt.Sprintf("%s: %s is %d", format.Counted(n, "SGE"), field, limit))
		c.refuses(from, whenInvalid)
	}
}

// list checks the SGEs; received data needs LOCAL_WRITE. A RECV uses as many bytes of them as its message has, not
// always the whole.
func (r *Request) list(c *Report, pd string, receives, whole bool) {
	for i := range r.WR.SGList {
		e := &r.WR.SGList[i]
		if e.Length == 0 {
			continue // its key is not used
		}
		m := region(r.Snapshot, pd, func(m *core.MRView) bool { return m.LKey == e.LKey })
		if m == nil {
			c.add(false, FixMemory, "", fmt.Sprintf("lkey 0x%x belongs to no region of this session", e.LKey))
			continue
		}
		if off := e.Addr - m.Addr; !whole && off < m.Length && !inside(off, uint64(e.Length), m.Length) {
			c.Unsure("%s has %s from %d on: a longer message fails with LOC_PROT_ERR, on some NICs any message",
				m.Name, format.Counted(m.Length-off, "byte"), off)
		} else {
			c.bytes(FixMemory, e.Addr, uint64(e.Length), m.Name, m.Addr, m.Length)
		}
		c.add(m.PD == pd, FixMemory, "", fmt.Sprintf("%s is in %s, the queue in %s", m.Name, m.PD, pd))
		if receives {
			c.grants(FixAccess, m.Name, m.Access, verbs.LocalWrite, m.Name+" allows LOCAL_WRITE",
				m.Name+" lacks LOCAL_WRITE, which receiving needs")
		}
	}
}

// region finds a region on the device of a protection domain, preferring that domain.
func region(s *core.Snapshot, pd string, fits func(*core.MRView) bool) (found *core.MRView) {
	device := ""
	for i := range s.PDs {
		if s.PDs[i].Name == pd {
			device = s.PDs[i].Device
		}
	}
	for i := range s.MRs {
		m := &s.MRs[i]
		if m.Device == device && fits(m) && (found == nil || m.PD == pd) {
			found = m
		}
	}
	return found
}

// bytes checks that n bytes at an address are inside a region or window.
func (c *Report) bytes(fix Fix, addr, n uint64, name string, start, length uint64) {
	off := addr - start // below the start this wraps around and exceeds any length
	place := fmt.Sprint(off)
	if addr < start || off > length {
		place = fmt.Sprintf("0x%x", addr)
	}
	what, are := format.Counted(n, "byte"), "are"
	if n == 1 {
		are = "is"
	}
	c.add(inside(off, n, length), fix, fmt.Sprintf("%s has %s at %d", name, what, off),
		fmt.Sprintf("%s at %s %s not inside %s, which has %s", what, place, are, name, format.Count(length)))
}

// inside reports whether n bytes from off are inside a region; it cannot overflow.
func inside(off, n, length uint64) bool { return off <= length && n <= length-off }

// total returns the length of the message in bytes.
func (r *Request) total() uint64 { return verbs.TotalLength(r.WR.SGList) }

func (r *Request) flags(c *Report, q *core.QPView) {
	if r.WR.SendFlags&verbs.SendSignaled == 0 && !q.SQSigAll {
		c.Unsure("not SIGNALED: no completion if it succeeds")
	}
	if r.WR.SendFlags&verbs.SendInline == 0 {
		return
	}
	defer func(from int) { c.refuses(from, whenInvalid) }(len(*c))
	if r.WR.Opcode.Traits().Receives {
		c.Missing("INLINE applies to sent data, but %s receives", r.WR.Opcode)
		return
	}
	c.Add(r.total() <= uint64(q.Cap.MaxInlineData), fmt.Sprintf("INLINE: max_inline_data is %d", q.Cap.MaxInlineData),
		fmt.Sprintf("INLINE: %s, max_inline_data is %d", format.Counted(r.total(), "byte"), q.Cap.MaxInlineData))
}

// Verdict says whether a requirement is met.
type Verdict uint8

// Verdicts, worst first.
const (
	Missing Verdict = iota // the request will fail, or have no effect
	Unknown                // this session cannot tell
	Met
)

// Fix is the action that resolves a finding.
type Fix uint8

// Fixes.
const (
	NoFix         Fix = iota
	FixState          // move the queue pair to another state
	FixRecv           // post a RECV at the peer
	FixAccess         // grant the region's missing access
	FixFlags          // grant the queue pair's missing access
	FixRegion         // register a region
	FixPeerState      // move the peer's queue pair to another state
	FixTarget         // name memory that the peer's queue pair can reach: remote_addr and rkey
	FixMemory         // name memory of the queue pair's domain: the SGEs
	FixAgain          // bring both queue pairs up anew, with other attributes
	FixRoom           // wait for completions, or post fewer
	FixLargerRecv     // post a larger RECV at the peer, before the present ones
)

// Finding is one requirement of a request.
type Finding struct {
	Verdict Verdict
	Text    string // one sentence with values, without a full stop
	Fix     Fix
	Object  string       // FixAccess, FixFlags: what lacks Rights
	Rights  verbs.Access // FixAccess, FixFlags: what it lacks
	Errnos  core.Errnos  // with which the post itself can fail for it; nil: the request is accepted, and fails later
}

// With which errnos providers refuse a request: libmlx5 has ENOMEM where rxe's library has EINVAL.
var (
	whenFull    = core.Errnos{syscall.ENOMEM}
	whenInvalid = core.Errnos{syscall.EINVAL, syscall.ENOMEM}
	whenState   = core.Errnos{syscall.EINVAL}
)

// refuses marks the findings from the given one on as those for which a post can fail.
func (r Report) refuses(from int, errnos core.Errnos) {
	for i := from; i < len(r); i++ {
		r[i].Errnos = errnos
	}
}

// Report are the findings of a request.
type Report []Finding

// Add adds a requirement with the text good if it is met, or bad if not. A met
// requirement without text is omitted.
func (r *Report) Add(ok bool, good, bad string) { r.add(ok, NoFix, good, bad) }

func (r *Report) add(ok bool, fix Fix, good, bad string) {
	switch {
	case !ok:
		*r = append(*r, Finding{Verdict: Missing, Text: bad, Fix: fix})
	case good != "":
		*r = append(*r, Finding{Verdict: Met, Text: good})
	}
}

// grants adds the requirement that an object's access includes rights.
func (r *Report) grants(fix Fix, object string, access, rights verbs.Access, good, bad string) {
	r.add(access&rights == rights, fix, good, bad)
	if access&rights != rights {
		last := &(*r)[len(*r)-1]
		last.Object, last.Rights = object, rights&^access
	}
}

// Missing adds an unmet requirement.
func (r *Report) Missing(format string, args ...any) {
	*r = append(*r, Finding{Verdict: Missing, Text: fmt.Sprintf(format, args...)})
}

// Unsure adds something that this session cannot check.
func (r *Report) Unsure(format string, args ...any) {
	*r = append(*r, Finding{Verdict: Unknown, Text: fmt.Sprintf(format, args...)})
}

// Sort puts the worst first; equal ones keep their order.
func (r Report) Sort() {
	slices.SortStableFunc(r, func(a, b Finding) int { return int(a.Verdict) - int(b.Verdict) })
}
