#include <rdma/rdma_cma.h>

/* Destroys an identifier and discards its events: a new identifier may get the
 * same address, but must not get these events. */
static int destroy_id(struct rdma_cm_id *id)
{
	size_t i;

	for (i = 0; i < 256 && i < number_cm_events; i++)
		if (cm_events[i].id == id)
			cm_events[i] = (struct cm_event){ .taken = true, .met = true };
	return rdma_destroy_id(id);
}
