package queue

import "rdmatui/session/core"

// Commands are the commands that make, change and poll queues, by name.
var Commands = core.Handlers{
	"create_comp_channel": createChannel,
	"create_cq":           createCQ,
	"resize_cq":           resizeCQ,
	"poll_cq":             pollCQ,
	"req_notify_cq":       reqNotifyCQ,
	"get_cq_event":        getCQEvent,
	"ack_cq_events":       ackCQEvents,
	"cq_mode":             cqMode,
	"cq_stats":            cqStats,
	"create_srq":          createSRQ,
	"modify_srq":          modifySRQ,
	"query_srq":           querySRQ,
	"create_qp":           createQP,
	"modify_qp":           modifyQP,
	"query_qp":            queryQP,
	"create_ah":           createAH,
	"create_ah_from_wc":   createAHFromWC,
	"attach_mcast":        attachMcast,
	"detach_mcast":        detachMcast,
	"live":                setLive,
}
