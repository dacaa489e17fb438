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

/* The next one to be looked at, the first after NULL; NULL: there is none. */
static struct taken_wc *taken_wc(struct taken_wc *after)
{
	size_t kept = number_taken < 1024 ? number_taken : 1024;
	size_t oldest = (number_taken - kept) % 1024;
	size_t i = after ? ((size_t)(after - all_taken) + 1024 - oldest) % 1024 + 1 : 0;

	for (; i < kept; i++)
		if (!all_taken[(oldest + i) % 1024].spent)
			return &all_taken[(oldest + i) % 1024];
	return NULL;
}
