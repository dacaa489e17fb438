#include <infiniband/verbs.h>

static struct ibv_srq_attr srq_attr_of(struct ibv_srq *queue)
{
	struct ibv_srq_attr attr;
	int err;

	err = ibv_query_srq(queue, &attr);
	if (err)
		die("ibv_query_srq", err);
	return attr;
}
