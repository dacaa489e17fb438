package explained

import (
	"strconv"
	"strings"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Status explains how a completion ended, with what is known of its request, its queue pair and, in loopback, its peer. request
// is the line that posted it, with names replaced by values, "" where it is not known.
func Status(c *timeline.Completion, request string, s *session.Snapshot) explain.Entry {
	e, ok := explain.Find("wc_status", c.WC.Status.String())
	if !ok {
		e, _ = explain.Find("wc_status", verbs.WCGeneralErr.String())
	}
	return e.Fill(completionValues(c, request, s))
}

// VendorErr explains the device's own word on a failure; ok is false where it has none.
func VendorErr(c *timeline.Completion) (e explain.Entry, ok bool) {
	if c.WC.VendorErr == 0 || !c.WC.Failed() {
		return e, false
	}
	found := explain.Lookup("vendor_err", strconv.FormatUint(uint64(c.WC.VendorErr), 10))
	if len(found) == 0 {
		return e, false
	}
	return Asked(found[0]), true
}

func completionValues(c *timeline.Completion, request string, s *session.Snapshot) explain.Values {
	values := explain.Values{"qp": c.QP}
	if q := queuePair(s, c.QP); q != nil {
		values = QP(q.Name, &q.Attr)
		values["state"] = q.State.String()
		if q.Attr.Mask&verbs.AttrRNRRetry != 0 && q.Attr.RNRRetry == verbs.InfiniteRNRRetry {
			delete(values, "rnr_retry")
		}
		if p := peerOf(s, q); p != nil && p.Attr.Mask&verbs.AttrMinRNRTimer != 0 {
			values["min_rnr_timer"] = span(verbs.RNRTimer(p.Attr.MinRNRTimer))
		}
	}
	if c.Matched && !c.Recv {
		values["opcode"] = c.Opcode.String()
	}
	requestValues(values, request, s)
	return values
}

// requestValues takes from a line what is of use: keys, addresses and the length of all pieces together.
func requestValues(values explain.Values, request string, s *session.Snapshot) {
	for word := range strings.FieldsSeq(request) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "rkey", "remote_addr":
			values[name] = value
		case "sge":
			pieces(values, value, s)
		}
	}
}

// pieces reads "src:0:5,dst:8:16".
func pieces(values explain.Values, list string, s *session.Snapshot) {
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

func queuePair(s *session.Snapshot, name string) *session.QPView {
	for i := range s.QPs {
		if s.QPs[i].Name == name {
			return &s.QPs[i]
		}
	}
	return nil
}

// peerOf is the queue pair of this session that another one sends to, nil if it is none of ours.
func peerOf(s *session.Snapshot, q *session.QPView) *session.QPView {
	if q.Attr.Mask&verbs.AttrDestQPN == 0 {
		return nil
	}
	for i := range s.QPs {
		if p := &s.QPs[i]; p.Num == q.Attr.DestQPNum && p.GID == q.Attr.AH.GRH.DGID {
			return p
		}
	}
	return nil
}
