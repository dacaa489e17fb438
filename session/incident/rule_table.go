package incident

import (
	"slices"

	"rdmatui/session/core"
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
	statuses []verbs.WCStatus // of a completion; nil: any
	opcodes  []verbs.WROpcode // of the send request; nil: any, and RECVs
	find     func(*facts) *finding
	waits    []core.AwaitedKind // what did not come; nil: the rule is for completions
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

// For waits in vain.
var (
	arrivals    = []core.AwaitedKind{core.AwaitedWC, core.AwaitedCQEvent, core.AwaitedMessage}
	completions = []core.AwaitedKind{core.AwaitedWC, core.AwaitedCQEvent}
	cqEvents    = []core.AwaitedKind{core.AwaitedCQEvent}
	cmEvents    = []core.AwaitedKind{core.AwaitedCMEvent}
	asyncEvents = []core.AwaitedKind{core.AwaitedAsync}
	onPorts     = append(append([]core.AwaitedKind{}, arrivals...), core.AwaitedCMEvent)
)

// rules are tried in this order; the first finding is the cause.
var rules = []rule{
	{"qp_access_flags", refusedRight, oneSided, queuePairRight, nil},
	{"rkey deregistered", refusedAccess, oneSided, rkeyGone, nil},
	{"rkey unknown", refusedAccess, oneSided, rkeyUnknown, nil},
	{"remote domain", refusedAccess, oneSided, remoteDomain, nil},
	{"remote right", refusedAccess, oneSided, remoteRight, nil},
	{"remote bounds", refusedAccess, oneSided, remoteBounds, nil},
	{"window", refusedAccess, oneSided, windowRefuses, nil},
	{"key of a peer elsewhere", refusedAccess, oneSided, keyElsewhere, nil},

	{"alignment", refusedWhole, aligned, misaligned, nil},
	{"RECV too short", refusedLength, sending, recvTooShort, nil},
	{"the peer's RECV", peerFailed, nil, peerRecv, nil},
	{"read depth of the peer", refusedWhole, fetching, readDepth, nil},
	{"path_mtu refused", refusedWhole, nil, mtuDiffers, nil},
	{"refused elsewhere", peerFailed, nil, refusedElsewhere, nil},

	{"no RECV", notReady, nil, noRecv, nil},

	{"peer destroyed", noAnswer, nil, peerDestroyed, nil},
	{"qp_num unknown", noAnswer, nil, numberUnknown, nil},
	{"peer's state", noAnswer, nil, peerState, nil},
	{"peer connected elsewhere", noAnswer, nil, connectedElsewhere, nil},
	{"PSN", noAnswer, nil, psnDiffers, nil},
	{"fault injection", noAnswer, nil, packetsLost, nil},
	{"path_mtu dropped", noAnswer, nil, mtuDropped, nil},
	{"packets lost", noAnswer, nil, packetsMissing, nil},
	{"no answer", noAnswer, nil, noAnswerAtAll, nil},

	{"read depth", localRequest, fetching, readDepthZero, nil},
	{"RECV shorter than the message", localLength, nil, messageTooLong, nil},
	{"lkey", localMemory, nil, localKey, nil},
	{"local domain", localMemory, nil, localDomain, nil},
	{"local bounds", localMemory, nil, localBounds, nil},
	{"LOCAL_WRITE", localMemory, nil, localWrite, nil},

	{"moved by a command", flushed, nil, movedByCommand, nil},
	{"disconnected", flushed, nil, disconnected, nil},
	{"refused by this end", flushed, nil, refusedHere, nil},
	{"moved", flushed, nil, movedOtherwise, nil},
	{"flushed for its own SGE", flushed, nil, flushedForSGE, nil},

	{"found beforehand", nil, nil, foundBeforehand, nil},

	{"port down", nil, nil, downPort, onPorts},
	{"connection ended", nil, nil, connectionEnded, arrivals},
	{"failed before", nil, nil, failedBefore, arrivals},
	{"overrun", nil, nil, overran, completions},
	{"no queue pair", nil, nil, noQueuePair, completions},
	{"not armed", nil, nil, notArmed, cqEvents},
	{"armed late", nil, nil, armedLate, cqEvents},
	{"path_mtu above active_mtu", nil, nil, mtuAbovePort, arrivals},
	{"unsignaled", nil, nil, unsignaled, completions},
	{"request waits", nil, nil, requestWaits, arrivals},
	{"nothing posted", nil, nil, nothingPosted, completions},
	{"cannot receive", nil, nil, cannotReceive, arrivals},
	{"no RECV here", nil, nil, noRecvHere, completions},
	{"datagram", nil, nil, datagramLost, completions},
	{"the other end", nil, nil, otherEnd, arrivals},
	{"counters", nil, nil, countersMoved, arrivals},
	{"peer elsewhere", nil, nil, notHere, arrivals},

	{"event failed", nil, nil, eventFailed, cmEvents},
	{"event taken before", nil, nil, cameBefore, cmEvents},
	{"id ended", nil, nil, idEnded, cmEvents},
	{"request unanswered", nil, nil, requestUnanswered, cmEvents},
	{"step missing", nil, nil, stepMissing, cmEvents},
	{"step pending", nil, nil, stepPending, cmEvents},
	{"no identifier", nil, nil, noIdentifier, cmEvents},
	{"asynchronous event", nil, nil, asyncCondition, asyncEvents},
}

// applies reports whether a rule applies to a failure.
func (r *rule) applies(x *facts) bool {
	if x.wait != nil || r.waits != nil {
		return x.wait != nil && slices.Contains(r.waits, x.wait.Kind)
	}
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
