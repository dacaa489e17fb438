package tune

import (
	"fmt"

	"rdmatui/verbs"
)

// Requests of one message.
var (
	sends   = []verbs.WROpcode{verbs.WRSend}
	writes  = []verbs.WROpcode{verbs.WRRDMAWrite}
	reads   = []verbs.WROpcode{verbs.WRRDMARead}
	imms    = []verbs.WROpcode{verbs.WRRDMAWriteWithImm}
	twoStep = []verbs.WROpcode{verbs.WRRDMAWrite, verbs.WRSend}
)

// Experiments lists all experiments in the order of a report.
var Experiments = []Experiment{
	{
		Name: "inline", Title: "post small messages inline",
		Reason: "The request itself carries the message, so the device does not fetch it from the region, and the " +
			"buffer is free when the post returns.",
		Use:   "Set IBV_SEND_INLINE on small messages.",
		Same:  "Set IBV_SEND_INLINE where the buffer should be free when the post returns; it saves no time here.",
		Avoid: "Post small messages from a region.",
		unit:  roundTrip, work: (*loop).pingPong,
		without: variant{"SEND of 32 bytes from a region", setup{message: sends, size: 32, signal: 16, depth: 64}},
		with: variant{"SEND of 32 bytes inline", setup{message: sends, size: 32, signal: 16, depth: 64,
			inline: true}},
	},
	{
		Name: "unsignalled", Title: "request one completion for many messages",
		Reason: "The device writes a completion and the program polls it for each signalled request; one completion " +
			"stands for all requests since the last.",
		Use:   "Signal one request in 16, and free the buffers of all 16 when it completes.",
		Same:  "Signal every request, which is simpler.",
		Avoid: "Signal every request.",
		unit:  rate, work: (*loop).stream,
		without: variant{"WRITE of 64 bytes, every one signalled", setup{message: writes, size: 64, depth: 64}},
		with: variant{"WRITE of 64 bytes, one in 16 signalled", setup{message: writes, size: 64, depth: 64,
			signal: 16}},
	},
	{
		Name: "chain", Title: "post many requests in one call",
		Reason: "One call of ibv_post_send takes a linked list of requests, takes the queue's lock once and rings the " +
			"doorbell once.",
		Use:   "Link requests that are ready at the same time and post them in one call.",
		Same:  "Post requests one by one, which is simpler.",
		Avoid: "Post requests one by one, so that the device starts with the first at once.",
		unit:  rate, work: (*loop).stream,
		without: variant{"WRITE of 64 bytes, one in a call", setup{message: writes, size: 64, depth: 64, signal: 16}},
		with: variant{"WRITE of 64 bytes, 16 in a call", setup{message: writes, size: 64, depth: 64, signal: 16,
			list: 16}},
	},
	{
		Name: "gather", Title: "gather a message from several buffers",
		Reason: "The device collects the pieces of an SGE list, so the program copies nothing; each SGE costs the " +
			"device a lookup.",
		Use:   "Post a list of SGEs instead of copying the pieces into one buffer.",
		Same:  "Post a list of SGEs where it saves code; the copy costs no time here.",
		Avoid: "Copy the pieces into one registered buffer.",
		unit:  bandwidth, work: (*loop).stream,
		lack: func(h *host) string {
			if h.attr.MaxSGE < 4 {
				return fmt.Sprintf("max_sge of the device is %d", h.attr.MaxSGE)
			}
			return ""
		},
		without: variant{"SEND of 16 KiB, 4 pieces copied into one buffer", setup{message: sends, size: 16384,
			depth: 16, pieces: 4, copied: true}},
		with: variant{"SEND of 16 KiB, 4 SGEs", setup{message: sends, size: 16384, depth: 16, pieces: 4}},
	},
	{
		Name: "immediate", Title: "announce a WRITE by immediate data instead of a second message",
		Reason: "RDMA_WRITE_WITH_IMM places the data and completes a RECV of the peer; otherwise a SEND must follow " +
			"the WRITE.",
		Use:   "Use RDMA_WRITE_WITH_IMM if 32 bits are enough to tell the peer what arrived.",
		Same:  "Use RDMA_WRITE_WITH_IMM for simplicity; it saves no time here.",
		Avoid: "Post a WRITE and a SEND in one call.",
		unit:  rate, work: (*loop).stream,
		without: variant{"WRITE of 64 bytes and SEND of 1 byte", setup{message: twoStep, size: 64, depth: 16}},
		with:    variant{"WRITE_WITH_IMM of 64 bytes", setup{message: imms, size: 64, depth: 16}},
	},
	{
		Name: "solicited", Title: "raise an event only for the last message of a burst",
		Reason: "A receiver that armed its queue for solicited events sleeps until the sender marks a message with " +
			"IBV_SEND_SOLICITED.",
		Use:   "Mark the last message of a burst as solicited and arm with solicited_only.",
		Same:  "Arm for every completion; the receiver does not wake up more often than necessary here.",
		Avoid: "Arm for every completion.",
		unit:  wakeUps, work: (*loop).bursts,
		without: variant{"bursts of 16 SENDs, every completion raises an event", setup{message: sends, size: 64,
			depth: 16, signal: 16, waiting: events}},
		with: variant{"bursts of 16 SENDs, the last one solicited", setup{message: sends, size: 64, depth: 16,
			signal: 16, waiting: events, solicited: true}},
	},
	{
		Name: "polling", Title: "poll instead of waiting for events",
		Reason: "An event costs an interrupt, a system call and a switch of threads; polling costs a whole core.",
		Use:    "Poll where a core can be spared for latency; wait for events otherwise.",
		Same:   "Wait for events, which leaves the core to others.",
		Avoid:  "Wait for events: polling takes the core away from the work itself.",
		unit:   roundTrip, work: (*loop).pingPong,
		without: variant{"SEND of 64 bytes, events", setup{message: sends, size: 64, signal: 16, depth: 64,
			waiting: events}},
		with: variant{"SEND of 64 bytes, polling", setup{message: sends, size: 64, signal: 16, depth: 64}},
	},
	{
		Name: "hybrid", Title: "poll for the time of a round trip before waiting for an event",
		Reason: "A completion that arrives soon is found by polling; a receiver that waits for long sleeps.",
		Use:    "Poll for about a round trip, then arm the queue and wait for the event.",
		Same:   "Wait for events at once, which is simpler.",
		Avoid:  "Wait for events at once.",
		unit:   roundTrip, work: (*loop).pingPong,
		without: variant{"SEND of 64 bytes, events", setup{message: sends, size: 64, signal: 16, depth: 64,
			waiting: events}},
		with: variant{"SEND of 64 bytes, polling for a round trip, then events", setup{message: sends, size: 64,
			signal: 16, depth: 64, waiting: hybrid}},
	},
	{
		Name: "cq-moderation", Title: "let the device raise one event for several completions",
		Reason: "ibv_modify_cq makes a device delay its events until a number of completions or a time is reached.",
		Use:    "Moderate events with ibv_modify_cq on queues whose completions come in bursts.",
		Same:   "Leave moderation off: it gains nothing here and delays single completions.",
		Avoid:  "Leave moderation off.",
		unit:   wakeUps, work: (*loop).bursts, lack: lackModeration,
		without: variant{"bursts of 16 SENDs, events not moderated", setup{message: sends, size: 64, depth: 16,
			signal: 16, waiting: events}},
		with: variant{"bursts of 16 SENDs, an event for 16 completions or after 100 µs", setup{message: sends,
			size: 64, depth: 16, signal: 16, waiting: events, moderation: verbs.CQModeration{Count: 16, Period: 100}}},
	},
	{
		Name: "qps", Title: "spread messages over several queue pairs",
		Reason: "Queue pairs are independent, so a device with several engines or threads works on them in parallel.",
		Use:    "Spread independent messages over 4 queue pairs.",
		Same:   "One queue pair is enough for this device.",
		Avoid:  "Use one queue pair.",
		unit:   rate, work: (*loop).stream,
		without: variant{"WRITE of 1 KiB, 16 outstanding on 1 QP", setup{message: writes, size: 1024, depth: 16}},
		with: variant{"WRITE of 1 KiB, 4 outstanding on each of 4 QPs", setup{message: writes, size: 1024, depth: 4,
			pairs: 4}},
	},
	{
		Name: "message-size", Title: "send large messages instead of small ones",
		Reason: "Each message costs a request and a completion, whatever its size.",
		Use:    "Combine data into messages of 64 KiB.",
		Same:   "Messages of 1 KiB reach the full bandwidth.",
		Avoid:  "Send messages of 1 KiB.",
		unit:   bandwidth, work: (*loop).stream,
		without: variant{"WRITE of 1 KiB, 16 outstanding", setup{message: writes, size: 1024, depth: 16}},
		with:    variant{"WRITE of 64 KiB, 16 outstanding", setup{message: writes, size: 65536, depth: 16}},
	},
	{
		Name: "path-mtu", Title: "use the largest path MTU",
		Reason: "Larger packets mean fewer headers and fewer packets to process.",
		Use:    "Set path_mtu to the port's active MTU, {mtu} bytes, if the whole path carries it.",
		Same:   "The path MTU makes no difference here; use the active MTU, {mtu} bytes.",
		Avoid:  "Use a path MTU of 256 bytes.",
		unit:   bandwidth, work: (*loop).stream,
		lack: func(h *host) string {
			if h.mtu <= verbs.MTU256 {
				return "the active MTU is 256 bytes, the smallest there is"
			}
			return ""
		},
		without: variant{"WRITE of 64 KiB, path MTU 256", setup{message: writes, size: 65536, depth: 4,
			mtu: verbs.MTU256}},
		with: variant{"WRITE of 64 KiB, path MTU {mtu}", setup{message: writes, size: 65536, depth: 4}},
	},
	{
		Name: "hugepages", Title: "register memory in huge pages",
		Reason: "The device's translation table has one entry for a huge page instead of 512, so its cache misses " +
			"less often.",
		Use:   "Allocate large regions in huge pages.",
		Same:  "Huge pages make registration cheaper but no transfer faster here.",
		Avoid: "Allocate regions in ordinary pages.",
		unit:  bandwidth, work: (*loop).stream,
		without: variant{"WRITE of 64 KiB across 8 MiB in ordinary pages", setup{message: writes, size: 65536,
			depth: 16, span: 8 << 20}},
		with: variant{"WRITE of 64 KiB across 8 MiB in huge pages", setup{message: writes, size: 65536, depth: 16,
			span: 8 << 20, huge: true}},
	},
	{
		Name: "numa", Title: "keep thread and memory on the device's NUMA node",
		Reason: "Doorbells, completions and data of another node cross the link between the processors.",
		Use:    "Pin the thread to node {node} and allocate the memory there.",
		Same:   "The node makes no difference for this device.",
		Avoid:  "Do not pin threads to the device's node.",
		unit:   roundTrip, work: (*loop).pingPong, lack: lackNodes,
		without: variant{"SEND of 4 KiB, thread and memory on node {far}", setup{message: sends, size: 4096, signal: 16,
			depth: 64, node: farNode}},
		with: variant{"SEND of 4 KiB, thread and memory on node {node}", setup{message: sends, size: 4096,
			signal: 16, depth: 64, node: ownNode}},
	},
	{
		Name: "max-rd-atomic", Title: "allow several outstanding READs",
		Reason: "With max_rd_atomic=1 the device sends the next READ only when the last one was answered.",
		Use:    "Set max_rd_atomic and max_dest_rd_atomic to {reads}.",
		Same:   "max_rd_atomic makes no difference here; leave it at {reads}, since a longer path needs it.",
		Avoid:  "Set max_rd_atomic to 1.",
		unit:   rate, work: (*loop).stream,
		lack: func(h *host) string {
			if h.reads < 2 {
				return fmt.Sprintf("max_qp_init_rd_atom of the device is %d", h.attr.MaxQPInitRDAtom)
			}
			return ""
		},
		without: variant{"READ of 64 bytes, max_rd_atomic 1", setup{message: reads, size: 64, depth: 16, rdAtomic: 1}},
		with: variant{"READ of 64 bytes, max_rd_atomic {reads}", setup{message: reads, size: 64, depth: 16,
			rdAtomic: mostReads}},
	},
	{
		Name: "srq", Title: "share one receive queue among queue pairs",
		Reason: "All queue pairs of an SRQ take receive requests from one pool, so fewer buffers serve many peers; " +
			"the queue pairs compete for its lock.",
		Use:   "Use an SRQ.",
		Same:  "Use an SRQ if there are many peers: it needs fewer buffers and costs no time here.",
		Avoid: "Give each queue pair its own receive queue unless memory is short.",
		unit:  rate, work: (*loop).stream,
		lack: func(h *host) string {
			if h.attr.MaxSRQ == 0 {
				return "the device has no shared receive queues"
			}
			return ""
		},
		without: variant{"SEND of 64 bytes on 4 QPs, a receive queue each", setup{message: sends, size: 64, depth: 8,
			pairs: 4}},
		with: variant{"SEND of 64 bytes on 4 QPs, one SRQ", setup{message: sends, size: 64, depth: 8, pairs: 4,
			shared: true}},
	},
}

// lackModeration reports why events cannot be moderated.
func lackModeration(h *host) string {
	if h.ex == nil || h.ex.CQModCaps.MaxCQCount == 0 {
		return "the device has no CQ moderation (max_cq_count is 0)"
	}
	return ""
}
