package post

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session"
	"rdmatui/verbs"
)

// preset returns a field's default value.
func (r *request) preset(name string) string {
	q := r.queue()
	if q == nil {
		return ""
	}
	switch name {
	case payload:
		return payloads[r.op]
	case "sge":
		return r.presetSGE()
	case "send_flags":
		return "SIGNALED"
	case "imm_data":
		return "0x12345678"
	case "wr_id":
		return strconv.FormatUint(r.next, 10)
	case "remote_addr", "rkey", "invalidate_rkey":
		return r.presetRemote(name[strings.LastIndexByte(name, '_')+1:], q)
	case "mw", "mr", "mw_access_flags":
		return r.presetBinding(name, q)
	case "length":
		return r.presetLength(q)
	case "type":
		return verbs.FlushToAll.String()
	case "level":
		return verbs.FlushRange.String()
	case "addr", "count", "outstanding", "signal_every":
		return ""
	case "compare_add", "swap":
		return presetOperands[r.opcode()][name]
	case "ah", "remote_qpn", "remote_qkey":
		return r.presetDatagram(name, q)
	}
	return r.presetNextSGE(name)
}

// presetRemote is the default remote address or key: that of the peer's region, or of
// a window for operations that invalidate one.
func (r *request) presetRemote(field string, q *session.QPView) string {
	peer := far(r.snap, q)
	switch {
	case r.traits().Bind:
		return "" // the next key
	case r.opcode() == verbs.WRLocalInv:
		peer = q.Name
	}
	if w := windowOf(r.snap, peer); r.traits().Invalid && w != nil {
		return w.Name + "." + field
	}
	if m := own(r.snap, peer); m != nil {
		return m.Name + "." + field
	}
	if m := r.toldRegion(peer); m != nil {
		return peer + "." + m.Name + "." + field
	}
	return ""
}

// toldRegion returns a remote peer's region that permits the operation, or else the first that it has announced.
func (r *request) toldRegion(peer string) *session.RemoteRegion {
	p := r.snap.Peer(peer)
	if p == nil || len(p.Regions) == 0 {
		return nil
	}
	right := verbs.RemoteWrite
	switch t := r.traits(); {
	case t.Atomic:
		right = verbs.RemoteAtomic
	case t.Receives:
		right = verbs.RemoteRead
	}
	for i := range p.Regions {
		if p.Regions[i].Access&right != 0 {
			return &p.Regions[i]
		}
	}
	return &p.Regions[0]
}

// presetLength is the whole of the peer's region for a FLUSH.
func (r *request) presetLength(q *session.QPView) string {
	if m := own(r.snap, far(r.snap, q)); r.traits().Flush && m != nil {
		return m.Name + ".length"
	}
	if m := r.toldRegion(far(r.snap, q)); r.traits().Flush && m != nil {
		return far(r.snap, q) + "." + m.Name + ".length"
	}
	return ""
}

// presetBinding is the first bindable window of the queue pair's domain, and the
// first region that it can be bound to.
func (r *request) presetBinding(name string, q *session.QPView) string {
	if name == "mw_access_flags" {
		return "REMOTE_WRITE|REMOTE_READ"
	}
	for i := range r.snap.MWs {
		if w := &r.snap.MWs[i]; name == "mw" && w.PD == q.PD && w.Type == verbs.MWType2 {
			return w.Name
		}
	}
	for i := range r.snap.MRs {
		if m := &r.snap.MRs[i]; name == "mr" && m.PD == q.PD && m.Access&verbs.MWBind != 0 {
			return m.Name
		}
	}
	return ""
}

func (r *request) presetSGE() string {
	m := own(r.snap, r.qp)
	switch {
	case m == nil:
		return ""
	case r.op == recv:
		return fmt.Sprintf("%s:0:%d", m.Name, m.Length)
	case r.traits().Atomic:
		return fmt.Sprintf("%s:32:%d", m.Name, verbs.AtomicLen)
	case !r.sends():
		return fmt.Sprintf("%s:32:%d", m.Name, readLength)
	}
	n := r.payloadLength()
	if n == 0 {
		n = readLength
	}
	return fmt.Sprintf("%s:%d:%d", m.Name, r.chainEnd(m.Name), n)
}

// presetNextSGE starts where the piece before ends.
func (r *request) presetNextSGE(name string) string {
	at := slices.Index(r.sgeNames(), name)
	if at < 1 {
		return ""
	}
	p := parsePiece(r.value(r.sgeNames()[at-1]))
	if p.region == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", p.region, add(p.off, p.length), readLength)
}
