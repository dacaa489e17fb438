#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

/* Waits for an event on a channel and reads all that have arrived. Returns false on
 * timeout. */
static bool read_cm_events(struct rdma_event_channel *channel, int64_t timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	struct rdma_cm_event *event;
	bool came = false;

	while (readable(channel->fd, came ? 0 : deadline)) {
		if (rdma_get_cm_event(channel, &event)) {
			if (errno == EAGAIN)
				break;
			die("rdma_get_cm_event", errno);
		}
		keep_cm_event(event);
		if (rdma_ack_cm_event(event))
			die("rdma_ack_cm_event", errno);
		came = true;
	}
	return came;
}
