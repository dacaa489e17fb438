#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program where another event came than the one that is to come. */
static struct cm_event *want_cm_event(struct cm_event *event, enum rdma_cm_event_type type)
{
	if (event && event->type == type)
		return event;
	fprintf(stderr, "%s was expected, and what came is %s", rdma_event_str(type), event ? rdma_event_str(event->type) : "nothing");
	if (event)
		fprintf(stderr, ", status %d", event->status);
	fprintf(stderr, "\n");
	exit(EXIT_FAILURE);
}
