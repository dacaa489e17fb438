package incident

import (
	"slices"

	"rdmatui/verbs"
)

// finding is a cause that a rule found.
type finding struct {
	text   string
	sure   bool     // the session's facts prove it; false: it is only likely
	open   bool     // it is not the whole cause: so the general causes are shown
	advice []string // what to do, as commands where possible
}

// rule finds one kind of cause.
type rule struct {
	name     string
	statuses []verbs.WCStatus
	opcodes  []verbs.WROpcode // of the send request; nil: any, and RECVs
	find     func(*facts) *finding
}

var (
	refusedAccess = []verbs.WCStatus{verbs.WCRemAccessErr}
	refusedRight  = []verbs.WCStatus{verbs.WCRemAccessErr, verbs.WCRemInvReqErr}
	refusedWhole  = []verbs.WCStatus{verbs.WCRemInvReqErr}
	refusedLength = []verbs.WCStatus{verbs.WCRemInvReqErr, verbs.WCRemOpErr}
	peerFailed    = []verbs.WCStatus{verbs.WCRemOpErr, verbs.WCRemInvReqErr}
	noAnswer      = []verbs.WCStatus{verbs.WCRetryExcErr, verbs.WCRespTimeoutErr}
	notReady      = []verbs.WCStatus{verbs.WCRNRRetryExcErr}
	localMemory   = []verbs.WCStatus{verbs.WCLocProtErr, verbs.WCLocQPOpErr}
	localRequest  = []verbs.WCStatus{verbs.WCLocQPOpErr}
	localLength   = []verbs.WCStatus{verbs.WCLocLenErr, verbs.WCLocQPOpErr}
	flushed       = []verbs.WCStatus{verbs.WCWRFlushErr}

	oneSided = opcodes(func(t *verbs.WROpcodeTraits) bool { return t.Remote })
	fetching = opcodes(func(t *verbs.WROpcodeTraits) bool { return t.Receives })
	aligned  = opcodes(func(t *verbs.WROpcodeTraits) bool { return t.Atomic || t.Copied })
	sending  = opcodes(func(t *verbs.WROpcodeTraits) bool { return t.NeedRecv && !t.Remote })
)

func opcodes(used func(*verbs.WROpcodeTraits) bool) (list []verbs.WROpcode) {
	for _, op := range verbs.WROpcodes.Values() {
		if used(op.Traits()) {
			list = append(list, op)
		}
	}
	return list
}

// rules are tried in this order; the first finding is the cause.
var rules = []rule{
	{"qp_access_flags", refusedRight, oneSided, queuePairRight},
	{"rkey deregistered", refusedAccess, oneSided, rkeyGone},
	{"rkey unknown", refusedAccess, oneSided, rkeyUnknown},
	{"remote domain", refusedAccess, oneSided, remoteDomain},
	{"remote right", refusedAccess, oneSided, remoteRight},
	{"remote bounds", refusedAccess, oneSided, remoteBounds},
	{"window", refusedAccess, oneSided, windowRefuses},
	{"key of a peer elsewhere", refusedAccess, oneSided, keyElsewhere},

	{"alignment", refusedWhole, aligned, misaligned},
	{"RECV too short", refusedLength, sending, recvTooShort},
	{"the peer's RECV", peerFailed, nil, peerRecv},
	{"read depth of the peer", refusedWhole, fetching, readDepth},
	{"path_mtu refused", refusedWhole, nil, mtuDiffers},
	{"refused elsewhere", peerFailed, nil, refusedElsewhere},

	{"no RECV", notReady, nil, noRecv},

	{"peer destroyed", noAnswer, nil, peerDestroyed},
	{"qp_num unknown", noAnswer, nil, numberUnknown},
	{"peer's state", noAnswer, nil, peerState},
	{"peer connected elsewhere", noAnswer, nil, connectedElsewhere},
	{"PSN", noAnswer, nil, psnDiffers},
	{"fault injection", noAnswer, nil, packetsLost},
	{"path_mtu dropped", noAnswer, nil, mtuDropped},
	{"packets lost", noAnswer, nil, packetsMissing},
	{"no answer", noAnswer, nil, noAnswerAtAll},

	{"read depth", localRequest, fetching, readDepthZero},
	{"RECV shorter than the message", localLength, nil, messageTooLong},
	{"lkey", localMemory, nil, localKey},
	{"local domain", localMemory, nil, localDomain},
	{"local bounds", localMemory, nil, localBounds},
	{"LOCAL_WRITE", localMemory, nil, localWrite},

	{"moved by a command", flushed, nil, movedByCommand},
	{"disconnected", flushed, nil, disconnected},
	{"refused by this end", flushed, nil, refusedHere},
	{"moved", flushed, nil, movedOtherwise},
	{"flushed for its own SGE", flushed, nil, flushedForSGE},

	{"found beforehand", nil, nil, foundBeforehand},
}

// applies reports whether a rule applies to a failure.
func (r *rule) applies(x *facts) bool {
	if r.statuses != nil && !slices.Contains(r.statuses, x.c.WC.Status) {
		return false
	}
	return r.opcodes == nil || x.c.Matched && !x.c.Recv && slices.Contains(r.opcodes, x.c.Opcode)
}

// cause returns the finding of the first rule that has one; nil if none has.
func (x *facts) cause() *finding {
	for i := range rules {
		if r := &rules[i]; r.applies(x) {
			if found := r.find(x); found != nil {
				return found
			}
		}
	}
	return nil
}
