#include <infiniband/verbs.h>
#include <stddef.h>

/* Returns the next completion that an expectation may match, the first one if after
 * is NULL; NULL if there is none. */
static struct taken_wc *next_taken(struct taken_wc *after)
{
	size_t kept = number_taken < 1024 ? number_taken : 1024;
	size_t oldest = (number_taken - kept) % 1024;
	size_t i = after ? ((size_t)(after - all_taken) + 1024 - oldest) % 1024 + 1 : 0;

	for (; i < kept; i++)
		if (!all_taken[(oldest + i) % 1024].spent)
			return &all_taken[(oldest + i) % 1024];
	return NULL;
}
