#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

/* The completions that were taken, the newest 1024. What was met by an
 * expectation is not looked at again once more are taken. */
struct taken_wc {
	struct ibv_cq *cq;
	struct ibv_wc wc;
	bool met, spent;
};

static struct taken_wc all_taken[1024];
static size_t number_taken;
