#include <infiniband/verbs.h>
#include <stdint.h>

/* Takes one completion event; returns NULL on timeout. */
static struct ibv_cq *get_cq_event(struct ibv_comp_channel *channel, int64_t timeout_ms)
{
	struct ibv_cq *queue;
	void *context;

	if (!readable(channel->fd, now_ms() + timeout_ms))
		return NULL;
	if (ibv_get_cq_event(channel, &queue, &context))
		die("ibv_get_cq_event", errno);
	return queue;
}
