package explained

import (
	"strconv"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Status explains how a completion ended, with what is known of its request, its
// queue pair and, in loopback, its peer. request is the line that posted it, with
// names replaced by values, or "" if unknown.
func Status(c *timeline.Completion, request string, s *session.Snapshot) explain.Entry {
	e, ok := explain.Find("wc_status", c.WC.Status.String())
	if !ok {
		e, _ = explain.Find("wc_status", verbs.WCGeneralErr.String())
	}
	e = e.Fill(session.CompletionValues(c, request, s))
	if e.Cause = c.Why(); e.Cause != "" && !c.Cause.Open {
		e.Causes = nil
	}
	return e
}

// VendorErr explains vendor_err of a failed completion; ok is false if the device sets
// none.
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
