package queue

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rdmatui/assets/explain"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/format"
)

// Hint explains a failed completion's status and what to check first; "" for a status without an explanation.
func Hint(status verbs.WCStatus) string {
	return hintWith(status, nil)
}

// hintWith is Hint with the values known of the request and its queue pair.
func hintWith(status verbs.WCStatus, values explain.Values) string {
	if values["room"] != "" {
		status = verbs.WCLocLenErr // rxe reports LOC_QP_OP_ERR where other devices report LOC_LEN_ERR
	}
	e, ok := explain.Find("wc_status", status.String())
	if !ok || status == verbs.WCSuccess {
		return ""
	}
	e = e.Fill(values)
	if e.Hint != "" {
		return e.Hint + "; check " + e.Check[0]
	}
	return e.Short + "; check " + e.Check[0]
}

// HintOf explains a failed completion by its cause if that is known, otherwise by the values of its queue pair.
func HintOf(s *core.Session, c *timeline.Completion) string {
	if why := c.Why(); why != "" {
		return why
	}
	snap := s.Snapshot()
	return hintWith(c.WC.Status, CompletionValues(c, "", &snap))
}

// LastHint is HintOf for a command that ends with a failed completion: with the first thing to do, where that is known.
func LastHint(s *core.Session, c *timeline.Completion) string {
	hint := HintOf(s, c)
	if c.Cause != nil && c.Cause.Text != "" && c.Cause.Step != "" {
		hint += ": " + c.Cause.Step
	}
	return hint
}

// CompletionValues returns what is known of a completion, its request, its queue pair and, in loopback, its peer, as
// values for the texts of assets/explain. request is the line that posted it, with names replaced by values; "" if
// unknown.
func CompletionValues(c *timeline.Completion, request string, s *core.Snapshot) explain.Values {
	values := explain.Values{"qp": c.QP}
	if q := s.QP(c.QP); q != nil {
		queuePairValues(values, q)
		if p := s.Receiver(q); p != nil && p.Attr.Mask&verbs.AttrMinRNRTimer != 0 {
			values["min_rnr_timer"] = format.Span(verbs.RNRTimer(p.Attr.MinRNRTimer))
		}
	}
	if c.Matched && !c.Recv {
		values["opcode"] = c.Opcode.String()
	}
	if c.Room > 0 {
		values["room"] = strconv.FormatUint(c.Room, 10)
	}
	for word := range strings.FieldsSeq(request) {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "rkey", "remote_addr":
			values[name] = value
		case "sge":
			pieceValues(s, values, value)
		}
	}
	return values
}

// queuePairValues adds the attributes as last set or read, with timers as durations.
func queuePairValues(values explain.Values, q *core.QPView) {
	a := &q.Attr
	values["state"] = q.State.String()
	for i := range fields.QP {
		if f := &fields.QP[i]; a.Mask&f.Bit != 0 {
			values[f.Name] = f.Format(a)
		}
	}
	delete(values, "min_rnr_timer") // the peer's timer applies
	delete(values, "timeout")
	if a.RNRRetry == verbs.InfiniteRNRRetry {
		delete(values, "rnr_retry")
	}
	if a.Mask&verbs.AttrTimeout == 0 || a.Timeout == 0 {
		return
	}
	each := verbs.AckTimeout(a.Timeout)
	values["timeout_n"], values["timeout"] = fmt.Sprint(a.Timeout), format.Span(each)
	if a.Mask&verbs.AttrRetryCnt != 0 {
		values["total"] = format.Span(each * time.Duration(a.RetryCnt+1))
	}
}

// pieceValues parses "src:0:5,dst:8:16" and adds the total length and the key of the first piece.
func pieceValues(s *core.Snapshot, values explain.Values, list string) {
	total := uint64(0)
	for piece := range strings.SplitSeq(list, ",") {
		parts := strings.Split(piece, ":")
		n, err := strconv.ParseUint(parts[len(parts)-1], 0, 64)
		if len(parts) != 3 || err != nil {
			return
		}
		total += n
		for i := range s.MRs {
			if mr := &s.MRs[i]; mr.Name == parts[0] && values["lkey"] == "" {
				values["lkey"] = "0x" + strconv.FormatUint(uint64(mr.LKey), 16)
			}
		}
	}
	values["length"] = strconv.FormatUint(total, 10)
}
