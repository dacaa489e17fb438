#include <rdma/rdma_cma.h>
#include <stdint.h>

/* Returns the oldest event of a type that no expectation has matched yet, and waits
 * for it if necessary; a NULL id matches any identifier. Returns NULL on timeout. */
static struct cm_event *find_cm_event(struct rdma_event_channel *channel, struct rdma_cm_id *id,
	enum rdma_cm_event_type type, int64_t timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	size_t i;

	do {
		for (i = number_cm_events < 256 ? 0 : number_cm_events - 256; i < number_cm_events; i++) {
			struct cm_event *event = &cm_events[i % 256];

			if (event->met || event->type != type || (id && event->id != id && event->listen_id != id))
				continue;
			event->met = event->taken = true;
			return event;
		}
	} while (read_cm_events(channel, deadline - now_ms()));
	return NULL;
}
