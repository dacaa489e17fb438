#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Asynchronous events that were read but not yet returned. */
static struct ibv_async_event waiting[64];
static int number_waiting;

/* Takes the first event of a type on a queue pair or shared receive queue; type -1
 * and element NULL match any. Returns false on timeout. */
static bool get_async_event(struct ibv_context *context, int type, const void *element, int64_t timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	int i = 0, j;

	for (;;) {
		for (; i < number_waiting; i++) {
			if ((type >= 0 && waiting[i].event_type != (enum ibv_event_type)type) ||
			    (element && waiting[i].element.qp != element))
				continue;
			printf("event: %s\n", ibv_event_type_str(waiting[i].event_type));
			for (j = i + 1; j < number_waiting; j++)
				waiting[j - 1] = waiting[j];
			number_waiting--;
			return true;
		}
		if (number_waiting == 64 || !readable(context->async_fd, deadline))
			return false;
		if (ibv_get_async_event(context, &waiting[number_waiting]))
			die("ibv_get_async_event", errno);
		ibv_ack_async_event(&waiting[number_waiting++]);
	}
}
