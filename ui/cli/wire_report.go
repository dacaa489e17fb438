package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/filter"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
	"rdmatui/verbs/wire"
)

func (c *call) wireReport(out *bufio.Writer, name string, talks *conversation.Table, f wireFlags) wireReport {
	switch {
	case f.summary:
		return &talkReport{out: out, name: name, json: c.json, talks: talks, shown: map[*conversation.Conversation]bool{}}
	case f.requests:
		r := &requestReport{out: out, json: c.json, talks: talks, shown: map[*conversation.Request]bool{}}
		talks.Told = r.told
		return r
	}
	return &packetReport{out: out, json: c.json}
}

// packetReport prints each packet.
type packetReport struct {
	out  *bufio.Writer
	json bool
	buf  []byte
}

func (r *packetReport) packet(s *filter.Subject) error {
	if r.json {
		r.buf = harmless(appendFrameJSON(r.buf[:0], s))
	} else {
		r.buf = appendFrame(r.buf[:0], s)
	}
	_, err := r.out.Write(append(r.buf, '\n'))
	return err
}

func (r *packetReport) end(*capture.Totals) error { return nil }

// appendFrame appends a packet's line, without a line end.
func appendFrame(b []byte, s *filter.Subject) []byte {
	b = fmt.Appendf(b, "%d  %.9f  %s -> %s  ", s.Seq, s.T.Seconds(), s.Src.Addr(), s.Dst.Addr())
	if s.Err != nil {
		b = line.AppendEscape(b, s.Err.Error())
	} else {
		b = s.Wire.AppendSummary(b)
	}
	if m, ok := cmMessage(s.Frame); ok {
		b = append(append(b, "  "...), m...)
	}
	if names := s.Marks.Names(); len(names) > 0 {
		b = fmt.Appendf(b, "  [%s]", strings.Join(names, " "))
	}
	return b
}

// cmMessage returns a message of the connection manager in words.
func cmMessage(f *capture.Frame) (string, bool) {
	if !conversation.IsCM(&f.Packet) || f.Err != nil || f.Cut() {
		return "", false
	}
	m, err := wire.ParseCM(f.Wire.Payload)
	if err != nil {
		return "", false
	}
	return line.Escape(m.String()), true
}

// verdicts are the words for the check of the ICRC.
var verdicts = [...]string{capture.Unchecked: "unchecked", capture.Right: "right", capture.Wrong: "wrong"}

// appendFrameJSON appends a packet as one JSON object, without a line end.
func appendFrameJSON(b []byte, s *filter.Subject) []byte {
	b = fmt.Appendf(b, `{"packet":%d,"t":%.9f,"time":%q`, s.Seq, s.T.Seconds(), s.At.Format(time.RFC3339Nano))
	if s.Device != "" {
		b = fmt.Appendf(b, `,"interface":%s`, jsonText(s.Device))
	}
	b = s.AppendFields(b)
	b = fmt.Appendf(b, `,"dscp":%d,"ecn":%d,"ttl":%d,"icrc":%q`, s.IP.TrafficClass>>2, s.IP.TrafficClass&3, s.IP.HopLimit, verdicts[s.ICRC])
	if s.VLAN != 0 {
		b = fmt.Appendf(b, `,"vlan":%d`, s.VLAN)
	}
	if s.V1 {
		b = append(b, `,"roce":1`...)
	}
	if s.Cut() {
		b = fmt.Appendf(b, `,"sent_len":%d`, s.Len)
	}
	if m, ok := cmMessage(s.Frame); ok {
		b = fmt.Appendf(b, `,"cm":%s`, jsonText(m))
	}
	if s.Talk != nil {
		b = fmt.Appendf(b, `,"conversation":%d`, s.Talk.Number)
	}
	if names := s.Marks.Names(); len(names) > 0 {
		b = fmt.Appendf(b, `,"marks":["%s"]`, strings.Join(names, `","`))
	}
	return append(b, '}')
}

// requestReport prints each request when it has ended.
type requestReport struct {
	out   *bufio.Writer
	json  bool
	talks *conversation.Table
	shown map[*conversation.Request]bool // open ones of which a packet was selected
	ended []endedRequest
}

type endedRequest struct {
	talk *conversation.Conversation
	from int
	*conversation.Request
}

// told keeps an ended request until it is known whether the packet that ended it is
// selected.
func (r *requestReport) told(talk *conversation.Conversation, from int, q *conversation.Request) {
	r.ended = append(r.ended, endedRequest{talk, from, q})
}

func (r *requestReport) packet(*filter.Subject) error {
	if r.talks.Touched != nil {
		r.shown[r.talks.Touched] = true
	}
	return r.flush()
}

func (r *requestReport) flush() (err error) {
	for _, q := range r.ended {
		if !r.shown[q.Request] || err != nil {
			continue
		}
		delete(r.shown, q.Request)
		if r.json {
			err = printJSON(r.out, q.fields())
		} else {
			_, err = fmt.Fprintln(r.out, q.line())
		}
	}
	r.ended = r.ended[:0]
	return err
}

func (r *requestReport) end(*capture.Totals) error { return r.flush() }

// line tells a request in words.
func (q *endedRequest) line() string {
	from, to := q.talk.Ends[q.from], q.talk.Ends[1-q.from]
	text := fmt.Sprintf("%d  %s -> %s  %s of %s in %s, %s", q.talk.Number, endText(from), endText(to),
		requestNames[q.Operation], format.Counted(q.Bytes, "byte"), format.Counted(q.Packets, "packet"), q.outcome())
	if q.Again > 0 {
		text += fmt.Sprintf(", %s sent again", format.Count(q.Again))
	}
	if q.RNR > 0 {
		text += fmt.Sprintf(", %s", format.Counted(q.RNR, "RNR NAK"))
	}
	return text
}

// requestNames are the words for the operations that ask.
var requestNames = map[wire.Operation]string{
	wire.OpSend: "SEND", wire.OpWrite: "RDMA WRITE", wire.OpRead: "RDMA READ", wire.OpCompareSwap: "ATOMIC CMP_AND_SWP",
	wire.OpFetchAdd: "ATOMIC FETCH_AND_ADD", wire.OpFlush: "FLUSH", wire.OpAtomicWrite: "ATOMIC WRITE",
}

// outcome says what became of the request.
func (q *endedRequest) outcome() string {
	switch q.Outcome {
	case conversation.Acknowledged:
		return "acknowledged after " + format.Span(q.Answered.Sub(q.Begin))
	case conversation.Refused:
		return "refused after " + format.Span(q.Answered.Sub(q.Begin)) + ": " + q.Code.String()
	case conversation.Unreliable:
		return "not acknowledged on this transport"
	}
	return "no answer captured"
}

func endText(e conversation.End) string {
	if e.QP == 0 {
		return e.Addr.String() + " qp ?"
	}
	return fmt.Sprintf("%s qp 0x%06x", e.Addr, e.QP)
}

// outcomeWords are the outcomes in JSON.
var outcomeWords = [...]string{
	conversation.Open: "open", conversation.Acknowledged: "acknowledged", conversation.Refused: "refused", conversation.Unreliable: "unreliable",
}

func (q *endedRequest) fields() map[string]any {
	from, to := q.talk.Ends[q.from], q.talk.Ends[1-q.from]
	all := map[string]any{
		"conversation": q.talk.Number, "from": from.Addr, "from_qp": from.QP, "to": to.Addr, "to_qp": to.QP,
		"operation": requestNames[q.Operation], "psn": q.First, "last_psn": q.Last, "bytes": q.Bytes, "packets": q.Packets,
		"sent_again": q.Again, "rnr_naks": q.RNR, "time": q.Begin.Format(time.RFC3339Nano), "outcome": outcomeWords[q.Outcome],
	}
	if !q.Answered.IsZero() {
		all["latency_s"] = q.Answered.Sub(q.Begin).Seconds()
		all["ack_latency_s"] = q.Answered.Sub(q.Sent).Seconds()
	}
	if q.Outcome == conversation.Refused {
		all["nak"] = q.Code.String()
	}
	return all
}

// talkReport prints at the end what each conversation did, of those with a selected
// packet.
type talkReport struct {
	out   *bufio.Writer
	name  string
	json  bool
	talks *conversation.Table
	shown map[*conversation.Conversation]bool
}

func (r *talkReport) packet(s *filter.Subject) error {
	if s.Talk != nil {
		r.shown[s.Talk] = true
	}
	return nil
}

func (r *talkReport) end(t *capture.Totals) error {
	if err := r.totals(t); err != nil {
		return err
	}
	for _, c := range r.talks.List {
		if !r.shown[c] {
			continue
		}
		if r.json {
			if err := printJSON(r.out, talkFields(c)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(r.out, "\n%s", talkText(c))
	}
	return nil
}

func (r *talkReport) totals(t *capture.Totals) error {
	if r.json {
		return printJSON(r.out, map[string]any{
			"capture": r.name, "packets": t.Packets, "roce": t.RoCE, "cut": t.Cut, "dropped": t.Dropped,
			"stray_answers": r.talks.Stray, "unfollowed": r.talks.Unfollowed,
		})
	}
	notes := []string{format.Counted(t.Packets, "packet") + " captured", format.Counted(t.RoCE, "RoCE packet") + " in them"}
	for _, n := range []struct {
		of   uint64
		what string
	}{
		{t.Cut, "cut by the capture"}, {t.Dropped, "lost by the capturing side"},
		{r.talks.Stray, "answers whose requests were not captured"}, {r.talks.Unfollowed, "not followed: too many conversations"},
	} {
		if n.of > 0 {
			notes = append(notes, format.Count(n.of)+" "+n.what)
		}
	}
	_, err := fmt.Fprintf(r.out, "%s: %s\n", line.Escape(r.name), strings.Join(notes, ", "))
	return err
}

// talkText tells a conversation in words, ending with a line end.
func talkText(c *conversation.Conversation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d  %s  %s and %s, %s; %s in %s\n", c.Number, c.Transport, endText(c.Ends[0]), endText(c.Ends[1]), c.Joined,
		format.Counted(c.Packets, "packet"), format.Span(c.Last.Sub(c.First)))
	for at, s := range c.Sides {
		if s == nil {
			continue
		}
		for op := range s.Kinds {
			if k := &s.Kinds[op]; k.Requests > 0 {
				fmt.Fprintf(&b, "   %s: %s\n", endText(c.Ends[at]), kindText(wire.Operation(op), k))
			}
		}
		if trouble := troubleOf(s); len(trouble) > 0 {
			fmt.Fprintf(&b, "   %s: %s\n", endText(c.Ends[at]), strings.Join(trouble, ", "))
		}
	}
	return b.String()
}

func kindText(op wire.Operation, k *conversation.Kind) string {
	text := fmt.Sprintf("%s %s, %s, %s", format.Count(k.Requests), requestNames[op], format.Counted(k.Bytes, "byte"), format.Counted(k.Packets, "packet"))
	if k.Acknowledged > 0 {
		text += fmt.Sprintf("; %s acknowledged, latency", format.Count(k.Acknowledged))
		for i, p := range percentilesOf(k.Latencies) {
			text += fmt.Sprintf(" %s %s", percentiles[i].name, format.Span(p))
		}
	}
	if k.Refused > 0 {
		text += fmt.Sprintf("; %s refused", format.Count(k.Refused))
	}
	if k.Open > 0 {
		text += fmt.Sprintf("; %s without a captured answer", format.Count(k.Open))
	}
	return text
}

// percentiles are the parts of all latencies that are told, in thousandths.
var percentiles = []struct {
	name string
	part int
}{{"p50", 500}, {"p90", 900}, {"p99", 990}, {"p99.9", 999}, {"max", 1000}}

// percentilesOf returns, for each of percentiles, the least latency that this part of
// all does not exceed.
func percentilesOf(all []time.Duration) (out []time.Duration) {
	sorted := slices.Sorted(slices.Values(all))
	for _, p := range percentiles {
		out = append(out, sorted[max((len(sorted)*p.part+999)/1000-1, 0)])
	}
	return out
}

// troubleOf lists what went wrong with the requests of a side.
func troubleOf(s *conversation.Side) (all []string) {
	add := func(n uint64, one, more string) {
		if n > 0 {
			what := more
			if n == 1 {
				what = one
			}
			all = append(all, format.Count(n)+" "+what)
		}
	}
	for _, why := range conversation.Reasons() {
		add(s.Again[why], "packet sent again "+why.String(), "packets sent again "+why.String())
	}
	add(s.RNR, "RNR NAK", "RNR NAKs")
	for _, code := range slices.Sorted(maps.Keys(s.NAKs)) {
		add(s.NAKs[code], "NAK "+code.String(), "NAKs "+code.String())
	}
	add(s.Missing, "packet not captured", "packets not captured")
	add(s.Late, "packet overtaken", "packets overtaken")
	add(s.Twice, "copy made on the way", "copies made on the way")
	add(s.CNP, "congestion notification received", "congestion notifications received")
	add(s.ECN, "packet marked by a congested router", "packets marked by a congested router")
	return all
}

func talkFields(c *conversation.Conversation) map[string]any {
	all := map[string]any{
		"conversation": c.Number, "transport": c.Transport.String(), "joined": c.Joined.String(), "packets": c.Packets,
		"begin": c.First.Format(time.RFC3339Nano), "seconds": c.Last.Sub(c.First).Seconds(),
	}
	var sides []map[string]any
	for at, s := range c.Sides {
		end := map[string]any{"addr": c.Ends[at].Addr, "qp": c.Ends[at].QP}
		if s != nil {
			addSide(end, s)
		}
		sides = append(sides, end)
	}
	all["ends"] = sides
	return all
}

// addSide adds what an end asked.
func addSide(all map[string]any, s *conversation.Side) {
	requests := map[string]any{}
	for op := range s.Kinds {
		k := &s.Kinds[op]
		if k.Requests == 0 {
			continue
		}
		of := map[string]any{"requests": k.Requests, "packets": k.Packets, "bytes": k.Bytes, "acknowledged": k.Acknowledged, "refused": k.Refused, "open": k.Open}
		if len(k.Latencies) > 0 {
			for i, p := range percentilesOf(k.Latencies) {
				of["latency_"+percentiles[i].name+"_s"] = p.Seconds()
			}
		}
		requests[requestNames[wire.Operation(op)]] = of
	}
	again := map[string]uint64{}
	for _, why := range conversation.Reasons() {
		again[strings.ReplaceAll(why.String(), " ", "_")] = s.Again[why]
	}
	naks := map[string]uint64{}
	for code, n := range s.NAKs {
		naks[code.String()] = n
	}
	all["requests"], all["sent_again"], all["naks"] = requests, again, naks
	for name, n := range map[string]uint64{
		"packets": s.Packets, "answers": s.Answers, "rnr_naks": s.RNR, "missing": s.Missing, "late": s.Late, "duplicates": s.Twice, "cnp": s.CNP, "ecn_marked": s.ECN,
	} {
		all[name] = n
	}
}

func jsonText(s string) []byte {
	b, _ := json.Marshal(s) // a string has a JSON form
	return b
}
