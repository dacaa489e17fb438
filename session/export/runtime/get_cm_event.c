#include <rdma/rdma_cma.h>
#include <stdint.h>

/* Takes the next event of an identifier, or of a channel if id is NULL. Returns
 * NULL on timeout. */
static struct cm_event *get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_id *id, int64_t timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	size_t i;

	for (;;) {
		for (i = number_cm_events < 256 ? 0 : number_cm_events - 256; i < number_cm_events; i++) {
			struct cm_event *event = &cm_events[i % 256];

			if (event->taken)
				continue;
			if (id ? event->id != id && event->listen_id != id : event->channel != channel)
				continue;
			event->taken = true;
			return event;
		}
		if (!read_cm_events(channel, deadline - now_ms()))
			return NULL;
	}
}
