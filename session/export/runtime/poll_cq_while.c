#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

/* As poll_cq, but the end of the connection ends the wait, and is no failure. */
static bool poll_cq_while(struct ibv_cq *queue, int n, int64_t timeout_ms, struct rdma_cm_id *id)
{
	int64_t deadline = now_ms() + timeout_ms;

	do {
		n -= poll_cq(queue, n, 0);
		if (n <= 0)
			return true;
		read_cm_events(id->channel, 0);
		if (last_cm_event(id)->type == RDMA_CM_EVENT_DISCONNECTED) {
			poll_cq(queue, n, 0); /* what came before it */
			return true;
		}
	} while (now_ms() < deadline);
	return false;
}
