package completions

import "rdmatui/verbs"

// statusWords says in plain words what a status means: what happened, what it
// mostly comes from, the likeliest first, and where to look next.
type statusWords struct {
	meaning string
	causes  []string
	check   []string
}

// statuses follows IBA 11.6.2 and ibv_poll_cq(3); causes are for RC, UC and UD
// with the operations that this program posts.
var statuses = map[verbs.WCStatus]statusWords{
	verbs.WCSuccess: {meaning: "The request completed."},
	verbs.WCLocLenErr: {
		"The message does not fit its buffers here: a SEND that was longer than the RECV it met, or a request longer than the port or the datagram allows.",
		[]string{"the RECV's SGE list is shorter than what the peer sent", "UD: the RECV lacks the 40 bytes for the GRH, or the message exceeds the path MTU"},
		[]string{"sum of sge lengths in post_recv against the sender's length", "UD: length + 40, and active_mtu of the port"},
	},
	verbs.WCLocQPOpErr: {
		"The queue pair could not carry the request out as it was written.",
		[]string{"an opcode that this type of queue pair does not have", "READs or atomics with max_rd_atomic=0", "the SGE list or the inline data exceeds what the QP was created with"},
		[]string{"qp_type against the opcode", "query_qp: max_rd_atomic, cap.max_send_sge, cap.max_inline_data"},
	},
	verbs.WCLocProtErr: {
		"A local SGE may not be used: its lkey, its range, its right or its protection domain is wrong. Nothing was sent.",
		[]string{"the SGE reaches past the end of the memory region", "the lkey is of another region, or the region was deregistered", "RECV or READ into a region without LOCAL_WRITE", "region and queue pair are in different PDs"},
		[]string{"addr, length and lkey of each sge against the region's", "access= in reg_mr", "pd= of the region and of the QP"},
	},
	verbs.WCWRFlushErr: {
		"The request was never carried out: the queue pair went to ERR with it still queued. This is a consequence, not the cause.",
		[]string{"an earlier request of this queue pair failed", "the peer or a command moved the QP to ERR", "it was posted to a QP that was in ERR already"},
		[]string{"the first failed completion of this QP that is not WR_FLUSH_ERR (f shows failed ones)", "the Journal: what moved the QP to ERR", "modify_qp RESET, then INIT, RTR, RTS to use it again"},
	},
	verbs.WCMWBindErr: {
		"The memory window could not be bound.",
		[]string{"the region lacks MW_BIND", "the range or the PD does not fit the region"},
		[]string{"access= of the region, range of the window"},
	},
	verbs.WCBadRespErr: {
		"The peer answered with a packet that does not belong to what was asked.",
		[]string{"wrong sq_psn or rq_psn after a reconnect", "packets were altered or mixed up on the way"},
		[]string{"PSNs of both ends: sq_psn here is rq_psn there", "a capture of the wire"},
	},
	verbs.WCLocAccessErr: {
		"The local memory of an incoming WRITE with immediate data could not be written.",
		[]string{"a protection error on the responder's side"},
		[]string{"access= of the region that the peer wrote to"},
	},
	verbs.WCRemInvReqErr: {
		"The peer refused the request as not valid for it (NAK, invalid request). Both queue pairs go to ERR.",
		[]string{"a SEND longer than the RECV that it met", "the operation is not enabled there: qp_access_flags", "more READs in flight than the peer's max_dest_rd_atomic", "length beyond what the peer takes"},
		[]string{"at the peer: length of the RECV, qp_access_flags, max_dest_rd_atomic", "max_rd_atomic here, at most that"},
	},
	verbs.WCRemAccessErr: {
		"The peer did not allow access to its memory (NAK, remote access). Nothing was written there. Both queue pairs go to ERR.",
		[]string{"wrong or outdated rkey", "remote_addr + length leaves the region", "the region was registered without REMOTE_WRITE or REMOTE_READ", "the peer's qp_access_flags lack the right"},
		[]string{"rkey, addr and length against the peer's region, now", "at the peer: access= of reg_mr, qp_access_flags of modify_qp INIT", "region and QP of the peer are in one PD"},
	},
	verbs.WCRemOpErr: {
		"The peer could not finish the request (NAK, operation error).",
		[]string{"the RECV that it met has a bad SGE: lkey, range, no LOCAL_WRITE", "trouble in the peer's device"},
		[]string{"completions at the peer: LOC_PROT_ERR there is the cause", "asynchronous events at the peer"},
	},
	verbs.WCRetryExcErr: {
		"No answer came: the request was sent again retry_cnt times, 4.096 µs × 2^timeout apart at the least, and nothing was acknowledged.",
		[]string{"wrong dest_qp_num, dgid or sgid_index: the packets go elsewhere", "the peer's QP is not in RTR or RTS, or is gone", "PSNs differ: rq_psn there is not sq_psn here", "UDP port 4791 is blocked, or the route or MTU does not carry the packets", "timeout is too short for the path"},
		[]string{"query_qp at both ends: state, dest_qp_num, rq_psn, sq_psn, path_mtu", "gid and its type: the same RoCE version on both ends", "ping between the addresses of both GIDs; firewall; tcpdump udp port 4791", "port state and the link's counters"},
	},
	verbs.WCRNRRetryExcErr: {
		"The peer had no RECV posted (RNR NAK), each time it was tried: rnr_retry times.",
		[]string{"no post_recv at the peer, or fewer than SENDs", "the peer posts RECVs too late or too slowly", "rnr_retry is small; 7 means for ever"},
		[]string{"post_recv at the peer before the SEND; one for each SEND and WRITE_WITH_IMM", "rnr_retry here, min_rnr_timer at the peer"},
	},
	verbs.WCRemAbortErr: {
		"The peer ended the operation.",
		[]string{"the peer's queue pair was moved to ERR or RESET meanwhile"},
		[]string{"state and journal of the peer"},
	},
	verbs.WCFatalErr: {
		"The device failed while it handled the request.",
		[]string{"DEVICE_FATAL, or a reset of the device"},
		[]string{"asynchronous events, dmesg"},
	},
	verbs.WCRespTimeoutErr: {
		"The peer did not answer in time.",
		[]string{"path or peer is down"},
		[]string{"as for RETRY_EXC_ERR: query_qp at both ends, the path between them"},
	},
	verbs.WCGeneralErr: {
		"Something failed that no other status names.",
		[]string{"a fault of the driver or the device; vendor_err may tell"},
		[]string{"vendor_err in the vendor's documents, dmesg"},
	},
}

// unknownWords stands for statuses that no request of this program comes to.
var unknownWords = statusWords{
	"The request failed; this status belongs to a feature that this program does not use.",
	[]string{"see ibv_poll_cq(3) and the vendor's documents"},
	[]string{"vendor_err, asynchronous events, dmesg"},
}

func wordsFor(s verbs.WCStatus) *statusWords {
	if w, ok := statuses[s]; ok {
		return &w
	}
	return &unknownWords
}
