#include <rdma/rdma_cma.h>
#include <stddef.h>

/* The newest 256 events, as a ring. */
static struct cm_event cm_events[256];
static size_t number_cm_events;
