#include <rdma/rdma_cma.h>

/* Returns the newest event of an identifier. A synchronous identifier keeps its event
 * in id->event. */
static struct cm_event *last_cm_event(struct rdma_cm_id *id)
{
	static struct cm_event none = { .type = RDMA_CM_EVENT_TIMEWAIT_EXIT };
	size_t i;

	if (id->event) {
		struct cm_event *newest = &cm_events[(number_cm_events + 255) % 256];

		if (newest->id != id || newest->type != id->event->event) {
			keep_cm_event(id->event);
			cm_events[(number_cm_events + 255) % 256].taken = true;
		}
	}
	for (i = number_cm_events; i > 0 && i + 256 > number_cm_events; i--)
		if (cm_events[(i - 1) % 256].id == id)
			return &cm_events[(i - 1) % 256];
	return &none;
}
