#include <infiniband/verbs.h>

/* Returns the completion taken last from a queue. */
static struct ibv_wc *last_wc(struct ibv_cq *queue)
{
	static struct ibv_wc none = { .status = IBV_WC_GENERAL_ERR };
	size_t i;

	for (i = number_taken; i > 0 && i + 1024 > number_taken; i--)
		if (all_taken[(i - 1) % 1024].cq == queue)
			return &all_taken[(i - 1) % 1024].wc;
	return &none;
}
