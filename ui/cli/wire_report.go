package cli

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
	"rdmatui/verbs/wire"
)

func (c *call) wireReport(out *bufio.Writer, name string, talks *conversation.Table, f wireFlags) wireReport {
	switch {
	case f.summary:
		return &talkReport{
			out: out, name: name, json: c.json, talks: talks, shown: map[*conversation.Conversation]bool{},
		}
	case f.requests:
		r := &requestReport{out: out, json: c.json, talks: talks, shown: map[*conversation.Request]bool{}}
		talks.Told = r.told
		return r
	}
	if f.write != "" {
		return silent{}
	}
	return &packetReport{out: out, json: c.json}
}

// silent prints nothing.
type silent struct{}

func (silent) packet(*conversation.Subject) error { return nil }
func (silent) end(*capture.Totals) error          { return nil }

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

// told keeps an ended request until the filter has seen the packet that ended it.
func (r *requestReport) told(talk *conversation.Conversation, from int, q *conversation.Request) {
	r.ended = append(r.ended, endedRequest{talk, from, q})
}

func (r *requestReport) packet(*conversation.Subject) error {
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

// line describes a request.
func (q *endedRequest) line() string {
	from, to := q.talk.Ends[q.from], q.talk.Ends[1-q.from]
	return fmt.Sprintf("%d  %s -> %s  %s, %s", q.talk.Number, endText(from), endText(to), q.Asked(), q.Fate())
}

func endText(e conversation.End) string {
	if e.QP == 0 {
		return wire.AddrText(e.Addr) + " qp ?"
	}
	return fmt.Sprintf("%s qp 0x%06x", wire.AddrText(e.Addr), e.QP)
}

// outcomeWords are the outcomes in JSON.
var outcomeWords = [...]string{
	conversation.Open: "open", conversation.Acknowledged: "acknowledged",
	conversation.Refused: "refused", conversation.Unreliable: "unreliable", conversation.Unread: "truncated",
}

func (q *endedRequest) fields() map[string]any {
	from, to := q.talk.Ends[q.from], q.talk.Ends[1-q.from]
	all := map[string]any{
		"conversation": q.talk.Number, "from": wire.AddrText(from.Addr), "from_qp": from.QP,
		"to": wire.AddrText(to.Addr), "to_qp": to.QP,
		"operation": conversation.OperationName(q.Operation), "psn": q.First, "last_psn": q.Last,
		"bytes": q.Bytes, "packets": q.Packets, "sent_again": againFields(q.Again[:]), "rnr_naks": q.RNR,
		"time": q.Begin.Format(time.RFC3339Nano), "outcome": outcomeWords[q.Outcome],
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

// talkReport prints the totals of each conversation that has a selected packet.
type talkReport struct {
	out   *bufio.Writer
	name  string
	json  bool
	talks *conversation.Table
	shown map[*conversation.Conversation]bool
}

func (r *talkReport) packet(s *conversation.Subject) error {
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
			"segmented": t.Segmented, "tunneled": t.Tunneled, "infiniband": t.InfiniBand, "skipped": skippedFields(t),
			"stray_answers": r.talks.Stray, "second_records": r.talks.Seconds, "unfollowed": r.talks.Unfollowed,
		})
	}
	notes := append([]string{format.Counted(t.Packets, "packet") + " captured"}, kindNotes(t)...)
	for _, n := range []struct {
		of         uint64
		noun, what string
	}{
		{t.Segmented, "datagram", "split into packets"}, {t.Tunneled, "packet", "encapsulated"},
		{t.Cut, "packet", "truncated by the capture"}, {t.Dropped, "packet", "dropped by the capturing host"},
		{r.talks.Seconds, "packet", "seen again: captured a second time"},
		{r.talks.Stray, "answer", "without a captured request"},
		{r.talks.Unfollowed, "packet", "ignored: too many conversations"},
	} {
		if n.of > 0 {
			notes = append(notes, format.Counted(n.of, n.noun)+" "+n.what)
		}
	}
	_, err := fmt.Fprintf(r.out, "%s: %s\n", line.Escape(r.name), strings.Join(append(notes, skipNotes(t)...), ", "))
	return err
}

// kindNotes say how many packets are RoCE, and how many InfiniBand.
func kindNotes(t *capture.Totals) (notes []string) {
	if roce := t.RoCE - t.InfiniBand; roce > 0 || t.InfiniBand == 0 {
		notes = append(notes, format.Count(roce)+" of them RoCE")
	}
	if t.InfiniBand > 0 {
		notes = append(notes, format.Count(t.InfiniBand)+" of them InfiniBand")
	}
	return notes
}

// skipNotes say how many packets were not looked at to their end, by the reason.
func skipNotes(t *capture.Totals) (notes []string) {
	for _, why := range capture.SkipReasons() {
		if n := t.Skipped[why]; n > 0 {
			notes = append(notes, format.Counted(n, "packet")+" "+why.String())
		}
	}
	return notes
}

// skippedFields are the same numbers by a name.
func skippedFields(t *capture.Totals) map[string]uint64 {
	all := map[string]uint64{}
	for _, why := range capture.SkipReasons() {
		if n := t.Skipped[why]; n > 0 {
			all[why.Name()] = n
		}
	}
	return all
}

// talkText describes a conversation in some lines.
func talkText(c *conversation.Conversation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d  %s  %s and %s, %s; %s in %s\n", c.Number, c.Transport, endText(c.Ends[0]),
		endText(c.Ends[1]), c.Joined,
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
		if flow := flowText(s); flow != "" {
			fmt.Fprintf(&b, "   %s: %s\n", endText(c.Ends[at]), flow)
		}
		if trouble := troubleOf(s); len(trouble) > 0 {
			fmt.Fprintf(&b, "   %s: %s\n", endText(c.Ends[at]), strings.Join(trouble, ", "))
		}
	}
	return b.String()
}

func kindText(op wire.Operation, k *conversation.Kind) string {
	text := fmt.Sprintf("%s %s", format.Count(k.Requests), conversation.OperationName(op))
	if k.Bytes > 0 || op == wire.OpSend || op == wire.OpWrite || op == wire.OpRead {
		text += ", " + format.Counted(k.Bytes, "byte")
	}
	text += ", " + format.Counted(k.Packets, "packet")
	if k.Acknowledged > 0 {
		text += fmt.Sprintf("; %s acknowledged, latency", format.Count(k.Acknowledged))
		if n := uint64(len(k.Latencies)); n < k.Acknowledged {
			text += fmt.Sprintf(" of %s picked at random", format.Count(n))
		}
		first, last := latenciesOf(k)
		text += percentileText(first) + ", after the last packet" + percentileText(last)
	}
	if k.Refused > 0 {
		text += fmt.Sprintf("; %s refused", format.Count(k.Refused))
	}
	if k.Unread > 0 {
		text += fmt.Sprintf("; %s with an answer truncated by the capture", format.Count(k.Unread))
	}
	if k.Open > 0 {
		text += fmt.Sprintf("; %s without a captured answer", format.Count(k.Open))
	}
	return text
}

// percentiles are those that are printed, with their part of all values in thousandths.
var percentiles = []struct {
	name string
	part int
}{{"p50", 500}, {"p90", 900}, {"p99", 990}, {"p99.9", 999}, {"max", 1000}}

// percentilesOf returns, for each of percentiles, the least value that this part of all
// does not exceed.
func percentilesOf(all []time.Duration) (out []time.Duration) {
	sorted := slices.Sorted(slices.Values(all))
	for _, p := range percentiles {
		out = append(out, sorted[max((len(sorted)*p.part+999)/1000-1, 0)])
	}
	return out
}

// latenciesOf returns the latencies from the first and from the last packets.
func latenciesOf(k *conversation.Kind) (first, last []time.Duration) {
	for _, l := range k.Latencies {
		first, last = append(first, l.First), append(last, l.Last)
	}
	return first, last
}

func percentileText(all []time.Duration) (text string) {
	for i, p := range percentilesOf(all) {
		text += fmt.Sprintf(" %s %s", percentiles[i].name, format.Span(p))
	}
	return text
}

// flowText says how much a side had unanswered at one time, and how much it was allowed.
func flowText(s *conversation.Side) string {
	if s.Window.Requests == 0 {
		return ""
	}
	text := fmt.Sprintf("up to %s and %s unanswered at one time", format.Counted(s.Window.Requests, "request"),
		format.Counted(s.Window.PSNs, "PSN"))
	switch c := &s.Credits; {
	case c.Told && c.Least == c.Most:
		text += fmt.Sprintf(", %s granted", format.Counted(c.Most, "credit"))
	case c.Told:
		text += fmt.Sprintf(", %s to %s granted", format.Count(uint64(c.Least)), format.Counted(c.Most, "credit"))
	case c.Unlimited > 0:
		text += ", credits unlimited"
	}
	return text
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
		add(s.Again[why], "packet retransmitted "+why.String(), "packets retransmitted "+why.String())
	}
	add(s.RNR, "RNR NAK", "RNR NAKs")
	for _, code := range slices.Sorted(maps.Keys(s.NAKs)) {
		add(s.NAKs[code], "NAK "+code.String(), "NAKs "+code.String())
	}
	add(s.Missing, "packet not captured", "packets not captured")
	add(s.Late, "packet out of order", "packets out of order")
	add(s.Twice, "packet duplicated by the network", "packets duplicated by the network")
	add(s.CNP, "congestion notification received", "congestion notifications received")
	add(s.ECN, "packet with a congestion mark (ECN CE)", "packets with a congestion mark (ECN CE)")
	return all
}

func talkFields(c *conversation.Conversation) map[string]any {
	all := map[string]any{
		"conversation": c.Number, "transport": c.Transport.String(), "joined": c.Joined.String(), "packets": c.Packets,
		"begin": c.First.Format(time.RFC3339Nano), "seconds": c.Last.Sub(c.First).Seconds(),
	}
	var sides []map[string]any
	for at, s := range c.Sides {
		end := map[string]any{"addr": wire.AddrText(c.Ends[at].Addr), "qp": c.Ends[at].QP}
		if s != nil {
			addSide(end, s)
		}
		sides = append(sides, end)
	}
	all["ends"] = sides
	return all
}

// againFields are numbers of packets that were sent again, by the reason.
func againFields[N uint32 | uint64](again []N) map[string]N {
	all := map[string]N{}
	for _, why := range conversation.Reasons() {
		all[why.Key()] = again[why]
	}
	return all
}

// addSide adds the requests of one end.
func addSide(all map[string]any, s *conversation.Side) {
	requests := map[string]any{}
	for op := range s.Kinds {
		k := &s.Kinds[op]
		if k.Requests == 0 {
			continue
		}
		of := map[string]any{
			"requests": k.Requests, "packets": k.Packets, "bytes": k.Bytes, "acknowledged": k.Acknowledged,
			"refused": k.Refused, "open": k.Open, "truncated_answers": k.Unread,
		}
		if len(k.Latencies) > 0 {
			first, last := latenciesOf(k)
			of["latency_samples"] = len(first)
			for name, all := range map[string][]time.Duration{"latency_": first, "ack_latency_": last} {
				for i, p := range percentilesOf(all) {
					of[name+percentiles[i].name+"_s"] = p.Seconds()
				}
			}
		}
		requests[conversation.OperationName(wire.Operation(op))] = of
	}
	naks := map[string]uint64{}
	for code, n := range s.NAKs {
		naks[code.String()] = n
	}
	all["requests"], all["sent_again"], all["naks"] = requests, againFields(s.Again[:]), naks
	if s.Window.Requests > 0 {
		all["window_requests"], all["window_psns"] = s.Window.Requests, s.Window.PSNs
	}
	if s.Credits.Told {
		all["credits_least"], all["credits_most"] = s.Credits.Least, s.Credits.Most
	}
	for name, n := range map[string]uint64{
		"packets": s.Packets, "answers": s.Answers, "rnr_naks": s.RNR, "missing": s.Missing, "late": s.Late,
		"duplicates": s.Twice, "cnp": s.CNP, "ecn_marked": s.ECN,
	} {
		all[name] = n
	}
}
