#include <errno.h>
#include <rdma/rdma_verbs.h>

/* Waits for one completion of an endpoint's receive queue. */
static void get_recv_comp(struct rdma_cm_id *id)
{
	struct taken_wc one = { .cq = id->recv_cq };
	size_t i;

	for (i = 0; i < 1024; i++)
		all_taken[i].spent = all_taken[i].met;
	if (rdma_get_recv_comp(id, &one.wc) < 0)
		die("rdma_get_recv_comp", errno);
	keep_comp(one);
}
