package post

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/ui/screen/bringup/step"
	"rdmatui/ui/widget/form"
	"rdmatui/verbs"
)

// slot names a field of one queue pair's request, for what the user typed.
type slot struct{ qp, op, name string }

// request is the work request that is being written.
type request struct {
	qp, op string
	typed  map[slot]string
	pieces map[slot]int // number of SGEs, by queue pair and opcode
	next   uint64       // wr_id
	snap   *session.Snapshot
}

func (r *request) opcode() verbs.WROpcode {
	op, _ := verbs.WROpcodes.Parse(r.op) // RECV has no traits, like an opcode that is not known
	return op
}

func (r *request) traits() verbs.WROpcodeTraits {
	if r.op == recv {
		return verbs.WROpcodeTraits{Receives: true}
	}
	return r.opcode().Traits()
}

// sends reports whether the list of SGEs gives data.
func (r *request) sends() bool { return !r.traits().Receives }

func findQP(s *session.Snapshot, name string) *session.QPView {
	for i := range s.QPs {
		if s.QPs[i].Name == name {
			return &s.QPs[i]
		}
	}
	return nil
}

func findSRQ(s *session.Snapshot, name string) *session.SRQView {
	for i := range s.SRQs {
		if s.SRQs[i].Name == name {
			return &s.SRQs[i]
		}
	}
	return nil
}

func findMR(s *session.Snapshot, name string) *session.MRView {
	for i := range s.MRs {
		if s.MRs[i].Name == name {
			return &s.MRs[i]
		}
	}
	return nil
}

// far names the other end of a queue pair: what it is connected to, or the only
// other one it could be.
func far(s *session.Snapshot, q *session.QPView) string {
	if q.PeerName != "" {
		return q.PeerName
	}
	for i := range s.QPs {
		o := &s.QPs[i]
		if o.Name == q.Name || o.Type != q.Type {
			continue
		}
		if known := q.Attr.Mask&verbs.AttrDestQPN != 0; !known || q.Attr.DestQPNum == o.Num {
			return o.Name
		}
	}
	return ""
}

// own is the region that a queue pair uses unless it is told otherwise: the first
// queue pair the first region of its domain, the second the second.
func own(s *session.Snapshot, qp string) *session.MRView {
	at := slices.IndexFunc(s.QPs, func(q session.QPView) bool { return q.Name == qp })
	if at < 0 {
		return nil
	}
	var mine []*session.MRView
	for i := range s.MRs {
		if s.MRs[i].PD == s.QPs[at].PD {
			mine = append(mine, &s.MRs[i])
		}
	}
	if len(mine) == 0 {
		return nil
	}
	return mine[at%len(mine)]
}

// preset is a field's value where the user typed none.
func (r *request) preset(name string) string {
	q := findQP(r.snap, r.qp)
	if q == nil {
		return ""
	}
	switch name {
	case "payload":
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
		if m := own(r.snap, far(r.snap, q)); m != nil {
			return m.Name + "." + name[strings.LastIndexByte(name, '_')+1:]
		}
	case "compare_add", "swap":
		return presetOperands[r.opcode()][name]
	case "ah", "remote_qpn", "remote_qkey":
		return r.presetDatagram(name, q)
	default:
		return r.presetNextSGE(name)
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
		return fmt.Sprintf("%s:32:%d", m.Name, atomicLength)
	case !r.sends():
		return fmt.Sprintf("%s:32:%d", m.Name, readLength)
	}
	if n := payloadLength(r.value("payload")); n > 0 {
		return fmt.Sprintf("%s:0:%d", m.Name, n)
	}
	return fmt.Sprintf("%s:0:%d", m.Name, readLength)
}

// presetNextSGE goes on where the piece before ends.
func (r *request) presetNextSGE(name string) string {
	at := slices.Index(r.sgeNames(), name)
	if at < 1 {
		return ""
	}
	p := parsePiece(r.value(r.sgeNames()[at-1]))
	if p.region == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", p.region, p.off+p.length, readLength)
}

// value is what a field holds now.
func (r *request) value(name string) string {
	if v, ok := r.typed[slot{r.qp, r.op, name}]; ok {
		return v
	}
	return r.preset(name)
}

func (r *request) set(name, value string) { r.typed[slot{r.qp, r.op, name}] = value }

func (r *request) count() int { return max(r.pieces[slot{r.qp, r.op, "sge"}], 1) }

// sgeNames names the fields of the list of SGEs: sge, sge 2, sge 3 …
func (r *request) sgeNames() []string {
	names := []string{"sge"}
	for i := 2; i <= r.count(); i++ {
		names = append(names, fmt.Sprint("sge ", i))
	}
	return names
}

const maxPieces = 8 // SGEs that can be written here; devices take few

// addPiece makes the list of SGEs longer (1) or shorter (-1).
func (r *request) addPiece(by int) {
	k := slot{r.qp, r.op, "sge"}
	names := r.sgeNames()
	r.pieces[k] = min(max(r.count()+by, 1), maxPieces)
	if by < 0 && len(names) > 1 {
		delete(r.typed, slot{r.qp, r.op, names[len(names)-1]})
	}
}

// fields makes the form.
func (r *request) fields() []form.Field {
	q := findQP(r.snap, r.qp)
	if q == nil {
		return nil
	}
	var qps []form.Option
	for i := range r.snap.QPs {
		o := &r.snap.QPs[i]
		qps = append(qps, form.Option{Value: o.Name, Help: o.Type.String() + " " + o.State.String()})
	}
	out := []form.Field{
		{Name: "qp", Value: r.qp, Kind: form.Choice, Choices: qps, Note: q.Type.String() + " " + q.State.String()},
		{Name: "opcode", Value: r.op, Kind: form.Choice, Choices: opcodes, Note: helpOf(opcodes, r.op)},
	}
	for _, p := range parts {
		if p.when != nil && !p.when(r, q) {
			continue
		}
		names := []string{p.name}
		if p.name == "sge" {
			names = r.sgeNames()
		}
		for _, n := range names {
			fd := form.Field{Name: n, Value: r.value(n), Kind: p.kind, Note: p.note}
			if p.kind == form.Flags {
				for _, f := range verbs.SendFlagNames.Names() {
					fd.Choices = append(fd.Choices, form.Option{Value: f, Help: flagHelp[f]})
				}
			}
			out = append(out, fd)
		}
	}
	return out
}

func helpOf(list []form.Option, value string) string {
	for _, o := range list {
		if o.Value == value {
			return o.Help
		}
	}
	return ""
}

// completesAt names the queue pair whose completion the request will be, "" where
// that cannot be told: a RECV of a shared receive queue is whose message comes
// first.
func (r *request) completesAt() string {
	if q := findQP(r.snap, r.qp); r.op == recv && q != nil && q.SRQ != "" {
		return ""
	}
	return r.qp
}

// line is the command that posts the request.
func (r *request) line() string {
	q := findQP(r.snap, r.qp)
	if q == nil {
		return ""
	}
	var b strings.Builder
	switch {
	case r.op == recv && q.SRQ != "":
		b.WriteString("post_srq_recv " + q.SRQ)
	case r.op == recv:
		b.WriteString("post_recv " + r.qp)
	default:
		b.WriteString("post_send " + r.qp + " " + r.op)
	}
	arg := func(name, value string) {
		if value != "" {
			b.WriteString(" " + name + "=" + step.Word(value))
		}
	}
	arg("wr_id", r.value("wr_id"))
	arg("sge", r.sgeList())
	for _, p := range parts {
		if p.name == "payload" || p.name == "sge" || p.name == "wr_id" || p.when != nil && !p.when(r, q) {
			continue
		}
		value := r.value(p.name)
		if p.name == "send_flags" && value == "" {
			value = "0" // left out it would mean SIGNALED
		}
		arg(p.name, value)
	}
	return b.String()
}

func (r *request) sgeList() string {
	var list []string
	for _, n := range r.sgeNames() {
		if v := r.value(n); v != "" {
			list = append(list, v)
		}
	}
	return strings.Join(list, ",")
}

// lines are the commands that post the request: its payload is written first.
func (r *request) lines() []string {
	post := r.line()
	if post == "" {
		return nil
	}
	text, p := r.value("payload"), parsePiece(r.value("sge"))
	if !r.sends() || text == "" || p.region == "" {
		return []string{post}
	}
	write := "write_mem " + step.Word(p.region) + " " + payloadWord(text)
	if p.off != 0 {
		write += fmt.Sprintf(" offset=%d", p.off)
	}
	return []string{write, post}
}

// payloadWord is the payload as write_mem takes it: hex and patterns as they are,
// anything else as text.
func payloadWord(text string) string {
	if isData(text) {
		return text
	}
	return command.Quote(unquoted(text))
}

func isData(text string) bool {
	digits, hex := strings.CutPrefix(text, "0x")
	_, pattern := strings.CutPrefix(text, "pattern:")
	return (hex && strings.Trim(digits, "0123456789abcdefABCDEF") == "" || pattern) && !strings.ContainsAny(text, " \"")
}

// unquoted takes away the quotes that one who knows the command line would type.
func unquoted(text string) string {
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1]
	}
	return text
}

// payloadLength tells how many bytes a payload has; 0 if it cannot be read.
func payloadLength(text string) int {
	if !isData(text) {
		return len(unquoted(text))
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		return len(digits) / 2
	}
	length, _, _ := strings.Cut(strings.TrimPrefix(text, "pattern:"), ":")
	n, err := verbs.ParseUint(length, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// piece is one SGE as far as it can be read without the session.
type piece struct {
	region      string // "" for a raw address and for what cannot be read
	off, length uint64
	toEnd       bool // no length was given
}

func parsePiece(text string) (p piece) {
	words := strings.Split(text, ":")
	if words[0] == "" || words[0][0] == '@' {
		return piece{}
	}
	p.region, p.toEnd = words[0], len(words) < 3
	for i, to := range []*uint64{&p.off, &p.length} {
		if len(words) > i+1 {
			n, err := verbs.ParseUint(words[i+1], 63)
			if err != nil {
				return piece{}
			}
			*to = n
		}
	}
	return p
}

// end is where a piece ends in a region of the given length.
func (p piece) end(length uint64) uint64 {
	if p.toEnd {
		return max(length, p.off)
	}
	return p.off + p.length
}

// remote is what remote_addr and rkey stand for, as far as it is in this session.
type remote struct {
	byAddr, byKey *session.MRView
	off           uint64
}

func (r *request) remote() (t remote) {
	addr, plus, _ := strings.Cut(r.value("remote_addr"), "+")
	if name, ok := strings.CutSuffix(addr, ".addr"); ok {
		t.byAddr = findMR(r.snap, name)
		t.off, _ = verbs.ParseUint(plus, 64) // "" is offset 0
	} else if n, err := verbs.ParseUint(addr, 64); err == nil {
		for i := range r.snap.MRs {
			if m := &r.snap.MRs[i]; n >= m.Addr && n-m.Addr < m.Length {
				t.byAddr, t.off = m, n-m.Addr
			}
		}
	}
	key := r.value("rkey")
	if name, ok := strings.CutSuffix(key, ".rkey"); ok {
		t.byKey = findMR(r.snap, name)
	} else if n, err := verbs.ParseUint(key, 32); err == nil {
		for i := range r.snap.MRs {
			if m := &r.snap.MRs[i]; uint64(m.RKey) == n {
				t.byKey = m
			}
		}
	}
	return t
}

// total is the length of the message in bytes.
func (r *request) total() (n uint64) {
	for _, name := range r.sgeNames() {
		if p := parsePiece(r.value(name)); p.region != "" {
			if m := findMR(r.snap, p.region); m != nil {
				n += p.end(m.Length) - p.off
			}
		}
	}
	return n
}
