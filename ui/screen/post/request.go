package post

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/preflight"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// slot identifies a field of one queue pair's request, as the key of typed values.
type slot struct{ qp, op, name string }

// request is the work request being written.
type request struct {
	qp, op  string // qp may be a shared receive queue
	typed   map[slot]string
	pieces  map[slot]int        // number of SGEs, by queue pair and opcode
	files   map[string]fileSeen // those of payloads, by path
	next    uint64              // wr_id
	chain   []link              // collected so far
	cleared []link              // the chain that was cleared last
	all     bool                // fields that are seldom used show too
	snap    *session.Snapshot
	hand    *screen.Hand // the regions in use at both ends
}

func newRequest(snap *session.Snapshot) request {
	return request{
		op: opcodes[0].Value, typed: map[slot]string{}, pieces: map[slot]int{}, files: map[string]fileSeen{},
		next: 1, snap: snap,
	}
}

func (r *request) opcode() verbs.WROpcode {
	op, _ := verbs.WROpcodes.Parse(r.op) // RECV has no traits, like an unknown opcode
	return op
}

func (r *request) traits() *verbs.WROpcodeTraits {
	if r.op == recv {
		return &verbs.WROpcodeTraits{Receives: true}
	}
	return r.opcode().Traits()
}

// sends reports whether the SGEs are the source of data.
func (r *request) sends() bool { t := r.traits(); return t.HasList() && !t.Receives }

// queue returns the queue that the request is for, nil if there is none.
func (r *request) queue() *session.QPView { return queueOf(r.snap, r.qp) }

// queueOf returns a queue by name. A shared receive queue is represented by an otherwise
// empty queue pair.
func queueOf(s *session.Snapshot, name string) *session.QPView {
	if q := s.QP(name); q != nil {
		return q
	}
	if srq := s.SRQ(name); srq != nil {
		return &session.QPView{Name: name, SRQ: name, PD: srq.PD, Device: srq.Device, RecvPosted: srq.RecvPosted}
	}
	return nil
}

// far names the other end of a queue pair, "" if there is none.
func far(s *session.Snapshot, q *session.QPView) string {
	name, _ := s.LikelyPeer(q)
	return name
}

// own returns the region in use at an end, if it is of the end's domain, or else the default one.
func (r *request) own(end string) *session.MRView {
	if m, q := r.hand.Region(r.snap, end), queueOf(r.snap, end); m != nil && q != nil && m.PD == q.PD {
		return m
	}
	return own(r.snap, end)
}

// own returns the default region of a queue pair: for the first queue pair the first
// region of its domain, for the second the second.
func own(s *session.Snapshot, qp string) *session.MRView {
	q := queueOf(s, qp)
	if q == nil {
		return nil
	}
	var mine []*session.MRView
	for i := range s.MRs {
		if s.MRs[i].PD == q.PD {
			mine = append(mine, &s.MRs[i])
		}
	}
	if len(mine) == 0 {
		return nil
	}
	at := slices.IndexFunc(s.QPs, func(q session.QPView) bool { return q.Name == qp })
	if at < 0 { // it receives only
		at = len(mine) - 1
	}
	return mine[at%len(mine)]
}

// value returns the current value of a field.
func (r *request) value(name string) string {
	if v, ok := r.typed[slot{r.qp, r.op, name}]; ok {
		return v
	}
	return r.preset(name)
}

func (r *request) set(name, value string) { r.typed[slot{r.qp, r.op, name}] = value }

func (r *request) count() int { return max(r.pieces[slot{r.qp, r.op, "sge"}], 1) }

// sgeNames names the fields of the SGEs: sge, sge 2, sge 3 …
func (r *request) sgeNames() []string {
	names := []string{"sge"}
	for i := 2; i <= r.count(); i++ {
		names = append(names, fmt.Sprint("sge ", i))
	}
	return names
}

const maxPieces = 8 // SGEs that can be edited here; devices take few

// addPiece adds an SGE.
func (r *request) addPiece() {
	r.pieces[slot{r.qp, r.op, "sge"}] = min(r.count()+1, maxPieces)
}

// dropPiece removes the named SGE, or the last if there is none of that name. Later
// ones keep their values.
func (r *request) dropPiece(name string) {
	names := r.sgeNames()
	last := len(names) - 1
	if last < 1 {
		return
	}
	at := slices.Index(names, name)
	if at < 0 {
		at = last
	}
	for i := at; i < last; i++ {
		r.set(names[i], r.value(names[i+1]))
	}
	delete(r.typed, slot{r.qp, r.op, names[last]})
	r.pieces[slot{r.qp, r.op, "sge"}] = last
}

// fields makes the form.
func (r *request) fields() []widget.Field {
	q := r.queue()
	if q == nil {
		return nil
	}
	queues, note, shorter := r.queues(), helpOf(opcodes, r.op), shortOpcodes[r.op]
	if why := whyNot(r.snap, q, r.op); why != "" {
		note, shorter = why, nil
	}
	out := []widget.Field{
		{Name: "qp", Value: r.qp, Kind: widget.ChoiceField, Choices: queues, Note: helpOf(queues, r.qp)},
		{Name: "opcode", Value: r.op, Kind: widget.ChoiceField, Choices: r.offered(), Note: note, Shorter: shorter},
	}
	more := widget.Fold{All: r.all}
	for i := range parts {
		p := &parts[i]
		if !r.applies(p.name, q) {
			continue
		}
		names := []string{p.name}
		if p.name == "sge" {
			names = r.sgeNames()
		}
		for _, n := range names {
			fd := p.field()
			if fd.Name, fd.Value = n, r.value(n); slices.Contains(seldom, n) {
				out = more.Add(out, fd, r.preset(n))
			} else {
				out = append(out, fd)
			}
		}
	}
	return more.Rest(out)
}

func helpOf(list []widget.Option, value string) string {
	for _, o := range list {
		if o.Value == value {
			return o.Help
		}
	}
	return ""
}

// completesAt names the queue pair that will complete the request, "" if unknown: a
// RECV of a shared receive queue goes to whichever queue pair receives a message
// first.
func (r *request) completesAt() string {
	if q := r.queue(); r.op == recv && q != nil && q.SRQ != "" {
		return ""
	}
	return r.qp
}

// command returns the command that posts the request, the zero one while there is no queue.
func (r *request) command() command.Command {
	q := r.queue()
	if q == nil {
		return command.Command{}
	}
	spec, list := command.PostSend, []command.Field{{Name: "qp", Text: r.qp}, {Name: "opcode", Text: r.op}}
	switch {
	case r.op == recv && q.SRQ != "":
		spec, list = command.PostSRQRecv, []command.Field{{Name: "srq", Text: q.SRQ}}
	case r.op == recv:
		spec, list = command.PostRecv, list[:1]
	}
	arg := func(name, value string) {
		if value != "" {
			list = append(list, command.Field{Name: name, Text: value})
		}
	}
	arg("wr_id", r.value("wr_id"))
	if r.traits().HasList() {
		arg("sge", r.sgeList())
	}
	for _, p := range parts {
		if p.name == payload || p.name == "sge" || p.name == "wr_id" || !r.applies(p.name, q) {
			continue
		}
		value := r.value(p.name)
		if p.name == "send_flags" && value == "" {
			value = "0" // leaving it out would mean SIGNALED
		}
		arg(p.name, value)
	}
	cmd, _ := command.Make(spec, list...) // it says itself what is wrong with it
	return cmd
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

// commands returns those that post the request: first its payload is written.
func (r *request) commands() []command.Command {
	post := r.command()
	if post.Text == "" {
		return nil
	}
	if write := r.writeLine(); write != "" {
		return []command.Command{command.Read(write), post}
	}
	return []command.Command{post}
}

// writeLine returns the command that writes the payload, "" for none.
func (r *request) writeLine() string {
	text, p := r.value(payload), parsePiece(r.value("sge"))
	if !r.sends() || text == "" || p.region == "" {
		return ""
	}
	write := "write_mem " + steps.Word(p.region) + " " + payloadWord(text)
	if p.off != 0 {
		write += fmt.Sprintf(" offset=%d", p.off)
	}
	return write
}

// total returns the length of the message in bytes.
func (r *request) total() (n uint64) {
	if !r.traits().HasList() {
		return 0
	}
	for _, name := range r.sgeNames() {
		if p := parsePiece(r.value(name)); p.region != "" {
			if m := r.snap.MR(p.region); m != nil {
				n = add(n, p.size(m.Length))
			}
		}
	}
	return n
}

// reach returns how many bytes of the peer the request covers; 0 for a whole region.
func (r *request) reach() uint64 {
	switch {
	case !r.traits().Flush:
		return r.total()
	case r.value("level") == verbs.FlushMR.String():
		return 0
	}
	n, _ := known(r.snap, r.value("length"))
	return n
}

// times returns how often to post the request; 0: until stopped.
func (r *request) times() uint64 {
	n, err := verbs.ParseUint(r.value("count"), 63)
	if err != nil {
		return 1
	}
	return n
}

// isRecv reports whether the request is for a receive queue.
func (r *request) isRecv() bool { return r.op == recv }

// wrID returns the number of the request; ok is false if the session picks one.
func (r *request) wrID() (n uint64, ok bool) {
	return parseID(r.value("wr_id"))
}

func parseID(text string) (n uint64, ok bool) {
	n, err := verbs.ParseUint(text, 64)
	return n, err == nil
}

// whyNot returns why a queue cannot carry out an operation, "" if it can.
func whyNot(s *session.Snapshot, q *session.QPView, name string) string {
	if name == recv {
		return ""
	}
	if s.SRQ(q.Name) != nil {
		return q.Name + " is a shared receive queue: it takes RECVs only"
	}
	op, err := verbs.WROpcodes.Parse(name)
	if err != nil {
		return name + " is not known"
	}
	return preflight.WhyNot(s, q, op)
}

// offered returns the operations that the selected queue can carry out.
func (r *request) offered() []widget.Option {
	q := r.queue()
	if q == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(opcodes), func(o widget.Option) bool {
		return whyNot(r.snap, q, o.Value) != ""
	})
}

// queues returns all queues to which requests can be posted.
func (r *request) queues() []widget.Option {
	var list []widget.Option
	for i := range r.snap.QPs {
		o := &r.snap.QPs[i]
		list = append(list, widget.Option{Value: o.Name, Help: o.Type.String() + " " + o.State.String()})
	}
	for i := range r.snap.SRQs {
		list = append(list, widget.Option{Value: r.snap.SRQs[i].Name, Help: "shared receive queue"})
	}
	return list
}

// remote is the target of remote_addr, if it is in this session.
type remote struct {
	mr  *session.MRView
	off uint64 // in mr
}

func (r *request) remote() (t remote) {
	text := r.value("remote_addr")
	if object, field, add, ok := command.ParseReference(text); ok && field == "addr" {
		if m := r.snap.MR(object); m != nil {
			return remote{m, add}
		}
	}
	if addr, ok := known(r.snap, text); ok {
		for i := range r.snap.MRs {
			if m := &r.snap.MRs[i]; addr >= m.Addr && addr-m.Addr < m.Length {
				t = remote{m, addr - m.Addr}
			}
		}
	}
	return t
}

// known parses a number, or the value of a region or window such as dst.addr+8; ok is
// false if only the session can read it.
func known(s *session.Snapshot, text string) (n uint64, ok bool) {
	object, field, add, ok := command.ParseReference(text)
	if !ok {
		n, err := verbs.ParseUint(text, 64)
		return n, err == nil
	}
	var values map[string]uint64
	if m := s.MR(object); m != nil {
		values = map[string]uint64{"addr": m.Addr, "length": m.Length, "lkey": uint64(m.LKey), "rkey": uint64(m.RKey)}
	} else if w := s.MW(object); w != nil {
		values = map[string]uint64{"addr": w.Start(), "length": w.Length, "rkey": uint64(w.RKey)}
	} else if p := s.Peer(object); p != nil && len(p.Regions) > 0 {
		values = toldValues(p)
	}
	n, ok = values[field]
	return n + add, ok
}

// toldValues returns the values of a peer's regions; those of the first also without its
// name.
func toldValues(p *session.PeerView) map[string]uint64 {
	values := map[string]uint64{}
	for i := range p.Regions {
		m := &p.Regions[i]
		for field, n := range map[string]uint64{"addr": m.Addr, "length": m.Length, "rkey": uint64(m.RKey)} {
			if values[m.Name+"."+field] = n; i == 0 {
				values[field] = n
			}
		}
	}
	return values
}

// windowOf returns a window through which a queue pair's peer can reach memory, nil
// if there is none.
func windowOf(s *session.Snapshot, qp string) *session.MWView {
	q := queueOf(s, qp)
	for i := range s.MWs {
		if w := &s.MWs[i]; q != nil && w.MR != "" && (w.QP == qp || w.QP == "" && w.PD == q.PD) {
			return w
		}
	}
	return nil
}
