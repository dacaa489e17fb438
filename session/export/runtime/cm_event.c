#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy of a connection manager event, kept because acknowledging an event frees
 * it. taken: the program has read it; met: an expectation has matched it. */
struct cm_event {
	enum rdma_cm_event_type type;
	int status;
	struct rdma_cm_id *id, *listen_id;
	struct rdma_event_channel *channel;
	uint8_t responder_resources, initiator_depth;
	uint32_t peer_qp_num; /* UD and multicast: remote_qpn */
	uint32_t remote_qkey;
	struct ibv_ah_attr ah_attr;
	size_t private_data_len;
	uint8_t private_data[256];
	bool taken, met;
};
