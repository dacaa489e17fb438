#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>

/* Exits with an error unless the event has the expected type. */
static struct cm_event *want_cm_event(struct cm_event *event, enum rdma_cm_event_type type)
{
	if (event && event->type == type)
		return event;
	fprintf(stderr, "expected %s, got %s", rdma_event_str(type), event ? rdma_event_str(event->type) : "nothing");
	if (event)
		fprintf(stderr, ", status %d", event->status);
	fprintf(stderr, "\n");
	exit(EXIT_FAILURE);
}
