#include <errno.h>
#include <rdma/rdma_cma.h>

/* Waits for a request on an identifier that has no channel of ours. */
static struct rdma_cm_id *get_request(struct rdma_cm_id *listener)
{
	struct rdma_cm_id *id;

	if (rdma_get_request(listener, &id))
		die("rdma_get_request", errno);
	return id;
}
