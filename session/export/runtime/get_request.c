#include <errno.h>
#include <rdma/rdma_cma.h>

/* Waits for a connection request on a synchronous identifier. Copies the event,
 * because the next call on the new identifier frees it. */
static struct rdma_cm_id *get_request(struct rdma_cm_id *listener)
{
	struct rdma_cm_id *id;

	if (rdma_get_request(listener, &id))
		die("rdma_get_request", errno);
	keep_cm_event(id->event);
	cm_events[(number_cm_events + 255) % 256].taken = true;
	return id;
}
