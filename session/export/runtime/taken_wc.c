#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

/* A completion taken from a queue; the newest 1024 are kept. met: an expectation has
 * matched it. The next poll_cq then marks it spent, and expectations skip it. */
struct taken_wc {
	struct ibv_cq *cq;
	struct ibv_wc wc;
	bool met, spent;
};

static struct taken_wc all_taken[1024];
static size_t number_taken;
