#include <rdma/rdma_cma.h>

/* Returns an identifier's newest event that carries data from the peer. */
static struct cm_event *told_by_peer(struct rdma_cm_id *id)
{
	struct cm_event *last = last_cm_event(id);
	size_t i;

	for (i = number_cm_events; i > 0 && i + 256 > number_cm_events; i--) {
		struct cm_event *event = &cm_events[(i - 1) % 256];

		if (event->id == id && (event->private_data_len || event->peer_qp_num))
			return event;
	}
	return last;
}
