package incident

import (
	"slices"

	"rdmatui/session/command"
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
	waits    []core.AwaitedKind // what did not come; nil: the rule is for completions or calls
	calls    []*command.Spec    // what the provider refused; nil: the rule is for completions or waits
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
	onPorts     = append(append([]core.AwaitedKind{}, arrivals...), core.AwaitedCMEvent, core.AwaitedPeer)
)

// rules are tried in this order; the first finding is the cause.
var rules = []rule{
	{"qp_access_flags", refusedRight, oneSided, queuePairRight, nil, nil},
	{"rkey deregistered", refusedAccess, oneSided, rkeyGone, nil, nil},
	{"rkey unknown", refusedAccess, oneSided, rkeyUnknown, nil, nil},
	{"remote domain", refusedAccess, oneSided, remoteDomain, nil, nil},
	{"remote right", refusedAccess, oneSided, remoteRight, nil, nil},
	{"remote bounds", refusedAccess, oneSided, remoteBounds, nil, nil},
	{"window", refusedAccess, oneSided, windowRefuses, nil, nil},
	{"key of a peer elsewhere", refusedAccess, oneSided, keyElsewhere, nil, nil},

	{"alignment", refusedWhole, aligned, misaligned, nil, nil},
	{"RECV too short", refusedLength, sending, recvTooShort, nil, nil},
	{"the peer's RECV", peerFailed, nil, peerRecv, nil, nil},
	{"read depth of the peer", refusedWhole, fetching, readDepth, nil, nil},
	{"path_mtu refused", refusedWhole, nil, mtuDiffers, nil, nil},
	{"refused elsewhere", peerFailed, nil, refusedElsewhere, nil, nil},

	{"no RECV", notReady, nil, noRecv, nil, nil},

	{"peer destroyed", noAnswer, nil, peerDestroyed, nil, nil},
	{"qp_num unknown", noAnswer, nil, numberUnknown, nil, nil},
	{"peer's state", noAnswer, nil, peerState, nil, nil},
	{"peer connected elsewhere", noAnswer, nil, connectedElsewhere, nil, nil},
	{"PSN", noAnswer, nil, psnDiffers, nil, nil},
	{"fault injection", noAnswer, nil, packetsLost, nil, nil},
	{"path_mtu dropped", noAnswer, nil, mtuDropped, nil, nil},
	{"packets lost", noAnswer, nil, packetsMissing, nil, nil},
	{"no answer", noAnswer, nil, noAnswerAtAll, nil, nil},

	{"read depth", localRequest, fetching, readDepthZero, nil, nil},
	{"domain of the address handle", localRequest, sending, handleDomain, nil, nil},
	{"RECV shorter than the message", localLength, nil, messageTooLong, nil, nil},
	{"lkey", localMemory, nil, localKey, nil, nil},
	{"local domain", localMemory, nil, localDomain, nil, nil},
	{"local bounds", localMemory, nil, localBounds, nil, nil},
	{"LOCAL_WRITE", localMemory, nil, localWrite, nil, nil},

	{"moved by a command", flushed, nil, movedByCommand, nil, nil},
	{"disconnected", flushed, nil, disconnected, nil, nil},
	{"refused by this end", flushed, nil, refusedHere, nil, nil},
	{"moved", flushed, nil, movedOtherwise, nil, nil},
	{"flushed by its port", flushed, nil, flushedByPort, nil, nil},
	{"flushed for its own SGE", flushed, nil, flushedForSGE, nil, nil},

	{"found beforehand", nil, nil, foundBeforehand, nil, nil},

	{"port down", nil, nil, downPort, onPorts, nil},
	{"connection ended", nil, nil, connectionEnded, arrivals, nil},
	{"failed before", nil, nil, failedBefore, arrivals, nil},
	{"overrun", nil, nil, overran, completions, nil},
	{"no queue pair", nil, nil, noQueuePair, completions, nil},
	{"not armed", nil, nil, notArmed, cqEvents, nil},
	{"armed late", nil, nil, armedLate, cqEvents, nil},
	{"path_mtu above active_mtu", nil, nil, mtuAbovePort, arrivals, nil},
	{"unsignaled", nil, nil, unsignaled, completions, nil},
	{"request waits", nil, nil, requestWaits, arrivals, nil},
	{"nothing posted", nil, nil, nothingPosted, completions, nil},
	{"cannot receive", nil, nil, cannotReceive, arrivals, nil},
	{"no RECV here", nil, nil, noRecvHere, completions, nil},
	{"datagram", nil, nil, datagramLost, completions, nil},
	{"the other end", nil, nil, otherEnd, arrivals, nil},
	{"completions not reported", nil, nil, unreported, cqEvents, nil},
	{"counters", nil, nil, countersMoved, arrivals, nil},
	{"peer elsewhere", nil, nil, notHere, arrivals, nil},

	{"event failed", nil, nil, eventFailed, cmEvents, nil},
	{"event taken before", nil, nil, cameBefore, cmEvents, nil},
	{"id ended", nil, nil, idEnded, cmEvents, nil},
	{"request unanswered", nil, nil, requestUnanswered, cmEvents, nil},
	{"step missing", nil, nil, stepMissing, cmEvents, nil},
	{"step pending", nil, nil, stepPending, cmEvents, nil},
	{"no identifier", nil, nil, noIdentifier, cmEvents, nil},
	{"asynchronous event", nil, nil, asyncCondition, asyncEvents, nil},

	{"ENOMEM of a send", nil, nil, fullSend, nil, posts},
	{"ENOMEM of a RECV", nil, nil, fullRecv, nil, receives},
	{"warned", nil, nil, warned, nil, checked},
	{"modify refused", nil, nil, refusedModify, nil, modifies},
	{"post refused", nil, nil, refusedPost, nil, posts},
}

// applies reports whether a rule applies to a failure.
func (r *rule) applies(x *facts) bool {
	if x.call != nil || r.calls != nil {
		return x.call != nil && slices.Contains(r.calls, x.call.Cmd.Spec)
	}
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
