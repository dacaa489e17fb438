package incident

import (
	"fmt"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

func recvTooShort(x *facts) *finding {
	if x.peer == nil {
		return nil
	}
	room, wrID := uint64(0), uint64(0)
	if in := x.failure(x.peer.Name); in != nil && in.Completion.Recv && in.Completion.Room > 0 && in.T >= x.posted() {
		room, wrID = in.Completion.Room, in.Completion.WC.WRID
	} else if r, ok := x.oldest(x.peer.Name, true); ok {
		room, wrID = verbs.TotalLength(r.List), r.WRID
	} else {
		return nil
	}
	if x.length() <= room {
		return nil
	}
	return &finding{
		text: fmt.Sprintf("the message has %s, but RECV %d of %s has room for %d", bytes(x.length()), wrID, x.peer.Name,
			room), sure: true,
		advice: []string{fmt.Sprintf("post RECVs of at least %s on %s", bytes(x.length()), x.peer.Name)},
	}
}

func peerRecv(x *facts) *finding {
	if x.peer == nil {
		return nil
	}
	if in := x.failure(x.peer.Name); in != nil && in.Completion.Recv &&
		in.Completion.WC.Status != verbs.WCWRFlushErr && in.T >= x.posted() {
		c := &in.Completion
		f := &finding{
			text: fmt.Sprintf("RECV %d of %s failed with %s", c.WC.WRID, x.peer.Name, c.WC.Status),
			sure: true, open: true,
		}
		if c.Cause.Text != "" {
			f.text, f.open = fmt.Sprintf("RECV %d of %s failed: %s", c.WC.WRID, x.peer.Name, c.Cause.Text), c.Cause.Open
		}
		return f
	}
	r, ok := x.oldest(x.peer.Name, true)
	if !ok {
		return nil
	}
	there := *x // the facts as the peer sees its RECV
	there.own, there.request, there.wr = x.peer, r, nil
	for _, find := range []func(*facts) *finding{localKey, localDomain, localBounds, localWrite} {
		if f := find(&there); f != nil {
			f.text = fmt.Sprintf("RECV %d of %s: %s", r.WRID, x.peer.Name, f.text)
			return f
		}
	}
	return nil
}

func readDepth(x *facts) *finding {
	if x.own == nil || x.peer == nil {
		return nil
	}
	a, b := &x.own.Attr, &x.peer.Attr
	if a.Mask&verbs.AttrMaxQPRDAtomic == 0 || b.Mask&verbs.AttrMaxDestRDAtomic == 0 ||
		a.MaxRDAtomic <= b.MaxDestRDAtomic {
		return nil
	}
	return &finding{
		text: fmt.Sprintf("max_rd_atomic of %s is %d, but max_dest_rd_atomic of %s is %d", x.own.Name, a.MaxRDAtomic,
			x.peer.Name, b.MaxDestRDAtomic),
		advice: []string{fmt.Sprintf("set max_rd_atomic of %s to at most %d", x.own.Name, b.MaxDestRDAtomic)},
	}
}

// mtus returns the path MTUs of both ends in bytes; ok is false if they agree or one is
// unknown.
func (x *facts) mtus() (own, peer int, ok bool) {
	if x.own == nil || x.peer == nil || x.own.Attr.Mask&x.peer.Attr.Mask&verbs.AttrPathMTU == 0 {
		return 0, 0, false
	}
	own, peer = x.own.Attr.PathMTU.Bytes(), x.peer.Attr.PathMTU.Bytes()
	return own, peer, own != peer
}

func mtuDiffers(x *facts) *finding {
	own, peer, differ := x.mtus()
	if !differ || x.length() <= uint64(min(own, peer)) {
		return nil
	}
	return &finding{
		text: fmt.Sprintf("path_mtu is %d on %s but %d on %s", own, x.own.Name, peer, x.peer.Name), sure: true,
		advice: []string{fmt.Sprintf("bring both queue pairs up with path_mtu=%d", min(own, peer))},
	}
}

// mtuDropped is for devices that silently drop packets longer than their own path MTU.
func mtuDropped(x *facts) *finding {
	f := mtuDiffers(x)
	if f != nil {
		f.sure = false
	}
	return f
}

func noRecv(x *facts) *finding {
	text := x.peerName() + " had no RECV posted"
	if x.peer != nil && x.peer.SRQ != "" {
		text = fmt.Sprintf("%s, the SRQ of %s, had no RECV posted", x.peer.SRQ, x.peer.Name)
	}
	if t := x.tries; t != nil && t.RNRNAKs > 0 {
		text += ": " + format.Counted(t.RNRNAKs, "RNR NAK") + " in " + format.Span(t.Span)
	}
	if x.own != nil && x.own.Attr.Mask&verbs.AttrRNRRetry != 0 {
		text += fmt.Sprintf(", rnr_retry=%d", x.own.Attr.RNRRetry)
	}
	f := &finding{
		text: text, sure: true,
		advice: []string{"post RECVs at the peer before the request", "rnr_retry=7 retries without limit"},
	}
	if p := x.peer; p != nil {
		f.advice[0] = fmt.Sprintf("post_recv %s before the request", p.Name)
		if p.SRQ != "" {
			f.advice[0] = fmt.Sprintf("post_srq_recv %s before the request", p.SRQ)
		}
		if p.RecvPosted > 0 {
			f.text += fmt.Sprintf("; it has %d now", p.RecvPosted)
		}
	}
	return f
}

// answers are what a peer's NAK says about a request.
var answers = map[verbs.WCStatus]string{
	verbs.WCRemInvReqErr: "refused %s as an invalid request", verbs.WCRemOpErr: "could not execute %s",
}

// refusedElsewhere says what is certain if the peer is not in this session.
func refusedElsewhere(x *facts) *finding {
	if x.peer != nil || x.own == nil {
		return nil
	}
	what := fmt.Sprintf("wr_id %d", x.c.WC.WRID)
	if x.known {
		what = x.c.Opcode.String() + " of " + bytes(x.length())
	}
	return &finding{
		text: "the peer " + fmt.Sprintf(answers[x.c.WC.Status], what) + "; its queue pair is not in this session",
		sure: true, open: true,
		advice: []string{"at the peer, check failed completions and events, the length of RECVs, qp_access_flags, path_mtu and max_dest_rd_atomic"},
	}
}
