#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

/* Takes n completions as poll_cq does. A disconnect ends the wait early and is no
 * failure. Returns false on timeout. */
static bool poll_cq_while(struct ibv_cq *queue, int n, int64_t timeout_ms, struct rdma_cm_id *id)
{
	int64_t deadline = now_ms() + timeout_ms;

	do {
		n -= poll_cq(queue, n, 0);
		if (n <= 0)
			return true;
		read_cm_events(id->channel, 0);
		if (last_cm_event(id)->type == RDMA_CM_EVENT_DISCONNECTED) {
			poll_cq(queue, n, 0); /* completions from before the disconnect */
			return true;
		}
	} while (now_ms() < deadline);
	return false;
}
