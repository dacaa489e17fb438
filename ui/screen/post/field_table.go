package post

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// recv stands for post_recv among the opcodes.
const recv = "RECV"

// opcodes are what can be posted here, in the order in which the key cycles through them.
var opcodes = append(widget.FieldOf(command.PostSend.Arg("opcode")).Choices,
	widget.Option{Value: recv, Help: "a buffer for a SEND from the peer"})

// shortOpcodes describe opcodes where there is little room.
var shortOpcodes = map[string][]string{
	"SEND": {"takes a RECV", "to a RECV"}, "SEND_WITH_IMM": {"a RECV, 32 bits", "takes RECV"},
	"RDMA_WRITE": {"not notified", "silent"}, "RDMA_WRITE_WITH_IMM": {"takes a RECV"},
	"RDMA_READ": {"not notified", "silent"}, "SEND_WITH_INV": {"takes a RECV"},
	"LOCAL_INV": {"void key"}, "BIND_MW": {"a window"}, "FLUSH": {"not notified", "silent"},
	"ATOMIC_WRITE": {"not notified", "silent"}, recv: {"for a SEND"},
}

// payloads differ by opcode, so that each can be recognised in memory.
var payloads = map[string]string{
	"SEND": "hello", "SEND_WITH_IMM": "hello again", "RDMA_WRITE": "written", "RDMA_WRITE_WITH_IMM": "written with imm",
	"SEND_WITH_INV": "hello and forget", "ATOMIC_WRITE": "8 bytes!",
}

// presetOperands are the default operands of atomics: they turn 0 into 1, and 1 into
// 2 or leave it.
var presetOperands = map[verbs.WROpcode]map[string]string{
	verbs.WRAtomicCmpAndSwp:   {"compare_add": "0", "swap": "1"},
	verbs.WRAtomicFetchAndAdd: {"compare_add": "1"},
}

// readLength is the default length of a READ in bytes.
const readLength = 16

// part is a field of a request at its place in the form, with its note and shorter ones for less room.
type part struct {
	name string
	note []string // longest first
}

var parts = []part{
	{payload, []string{"text, 0x…, pattern:LEN or file:PATH; goes into the first SGE",
		"text, 0x…, pattern:LEN or file:PATH",
		"text, hex, file", "text or hex", "the data"}},
	{"sge", []string{"region:offset:length", "region:off:len", "mr:off:len", "memory"}},
	{"remote_addr", []string{"peer's address; +N is allowed", "peer's address", "at the peer", "peer's"}},
	{"rkey", []string{"key of the peer's region or window", "the peer's key", "peer's key", "peer's"}},
	{"imm_data", []string{"32 bits for the peer's completion", "32 bits"}},
	{"invalidate_rkey", []string{"the rkey to invalidate", "to invalidate"}},
	{"mw", []string{"the window, of TYPE_2", "window"}},
	{"mr", []string{"its region, with MW_BIND", "region"}},
	{"addr", []string{"first byte; unset: the region's", "first byte", "start"}},
	{"length", []string{"bytes; unset (BIND_MW): to the end", "bytes"}},
	{"type", []string{"what the data must have reached", "how far"}},
	{"level", []string{"the named bytes or the whole region", "how much"}},
	{"mw_access_flags", []string{"the peer's rights", "rights"}},
	{"compare_add", []string{"the value to compare with, or to add", "operand"}},
	{"swap", []string{"new value if equal", "if equal"}},
	{"ah", []string{"the peer's address handle", "where to"}},
	{"remote_qpn", []string{"the peer's queue pair", "peer's QP"}},
	{"remote_qkey", []string{"the peer's qkey", "peer's qkey", "peer's"}},
	{"send_flags", []string{"SIGNALED: make a completion", "asks for a wc", "e lists all", "e lists"}},
	{"wr_id", []string{"comes back in the completion", "comes back", "a number"}},
	{"count", []string{"repetitions; unset: once", "unset: once", "times"}},
	{"outstanding", []string{"requests kept outstanding; unset: post all at once", "requests kept outstanding",
		"under way"}},
	{"signal_every", []string{"one request in N is SIGNALED", "1 in N signaled", "1 in N"}},
}

// payload is the field of the data that is written into the first SGE before the post.
const payload = "payload"

// field returns the field of a part, which is an argument of post_send, or what write_mem writes.
func (p *part) field() widget.Field {
	arg := command.PostSend.Arg(p.name)
	if p.name == payload {
		arg = command.WriteMem.Arg("data")
	}
	fd := widget.FieldOf(arg)
	if p.name == payload {
		fd.Read = readPayload
	}
	fd.Note, fd.Shorter = p.note[0], p.note[1:]
	return fd
}

// applies reports whether the request has a part.
func (r *request) applies(name string, q *session.QPView) bool {
	switch {
	case name == payload:
		return r.sends()
	case r.op == recv:
		return command.PostRecv.Arg(name) != nil
	case slices.Contains(command.DatagramFields, name):
		return q.Type == verbs.UD
	case name == "rkey" && r.traits().Bind:
		return false // the window's next key is taken
	case name == "outstanding" || name == "signal_every":
		return r.times() != 1 && command.Applies(name, r.opcode())
	}
	return command.Applies(name, r.opcode())
}

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
	case r.traits().Local():
		peer = q.Name
	}
	if w := windowOf(r.snap, peer); r.traits().Invalid && w != nil {
		return w.Name + "." + field
	}
	if m := r.own(peer); m != nil {
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
	if m := r.own(far(r.snap, q)); r.traits().Flush && m != nil {
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
	m := r.own(r.qp)
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

// told returns the queue pair's identifier if the connection manager has reported how
// to reach its peer or a group; nil otherwise.
func told(s *session.Snapshot, qp string) *session.IDView {
	for i := range s.IDs {
		if id := &s.IDs[i]; id.QP == qp && id.UD.QPNum != 0 {
			return id
		}
	}
	return nil
}

// presetDatagram is the default destination of a datagram: the one reported by the
// connection manager, else the peer that the queue pair was exchanged with, or the
// only other queue pair.
func (r *request) presetDatagram(name string, q *session.QPView) string {
	id, peer := told(r.snap, q.Name), far(r.snap, q)
	switch {
	case name == "ah":
		return r.presetAH(q, id, peer)
	case id != nil:
		return id.Name + "." + name
	case name == "remote_qpn" && peer != "":
		return peer + ".qp_num"
	case name == "remote_qkey":
		if o := queueOf(r.snap, peer); o != nil && o.Attr.Mask&verbs.AttrQKey != 0 {
			return fmt.Sprintf("0x%x", o.Attr.QKey)
		}
		if r.snap.Peer(peer) != nil && q.Attr.Mask&verbs.AttrQKey != 0 {
			return fmt.Sprintf("0x%x", q.Attr.QKey) // not exchanged: both ends have to agree
		}
	}
	return ""
}

// presetAH is the address handle for the peer, or else the first one of the domain.
func (r *request) presetAH(q *session.QPView, id *session.IDView, peer string) string {
	first := ""
	for i := range r.snap.AHs {
		ah := &r.snap.AHs[i]
		if ah.PD != q.PD {
			continue
		}
		if first == "" {
			first = ah.Name
		}
		if id != nil && ah.Attr == id.UD.AH {
			return ah.Name
		}
		if p := r.snap.Peer(peer); id == nil && p != nil && p.LedToBy(&ah.Attr) {
			return ah.Name
		}
	}
	return first
}

// complete lists candidates for an open field: regions and their pieces for an SGE,
// and the peer's values for an address or key.
func (s *Screen) complete(name, text string, cursor int) []widget.Candidate {
	if cursor != len(text) {
		return nil
	}
	field, _, _ := strings.Cut(name, " ") // "sge 2"
	var list []widget.Candidate
	add := func(value, help string) {
		if strings.HasPrefix(value, text) && value != text {
			list = append(list, widget.Candidate{Text: value, Help: help, To: len(text)})
		}
	}
	q := s.req.queue()
	for i := range s.snap.MRs {
		m := &s.snap.MRs[i]
		switch {
		case field == "sge" && q != nil && m.PD == q.PD:
			add(fmt.Sprintf("%s:0:%d", m.Name, m.Length), m.Access.String())
		case field == "mr":
			add(m.Name, m.Access.String())
		case field == "remote_addr":
			add(m.Name+".addr", fmt.Sprintf("0x%x", m.Addr))
		case field == "rkey" || field == "invalidate_rkey":
			add(m.Name+".rkey", fmt.Sprintf("0x%x", m.RKey))
		}
	}
	for i := range s.snap.MWs {
		w := &s.snap.MWs[i]
		switch field {
		case "mw":
			add(w.Name, w.Type.String())
		case "remote_addr":
			add(w.Name+".addr", fmt.Sprintf("window 0x%x", w.Start()))
		case "rkey", "invalidate_rkey":
			add(w.Name+".rkey", fmt.Sprintf("window 0x%x", w.RKey))
		}
	}
	for _, p := range s.snap.Peers {
		for _, m := range p.Regions {
			switch name := p.Name + "." + m.Name; field {
			case "remote_addr":
				add(name+".addr", fmt.Sprintf("0x%x at the peer", m.Addr))
			case "rkey":
				add(name+".rkey", fmt.Sprintf("0x%x at the peer", m.RKey))
			}
		}
	}
	for i := range s.snap.AHs {
		if field == "ah" {
			add(s.snap.AHs[i].Name, s.snap.AHs[i].Attr.GRH.DGID.String())
		}
	}
	return list
}
