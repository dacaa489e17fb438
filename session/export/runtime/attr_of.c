#include <infiniband/verbs.h>

/* Queries all attributes of a queue pair; its device may leave some unset. */
static struct ibv_qp_attr attr_of(struct ibv_qp *queue_pair)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err;

	err = ibv_query_qp(queue_pair, &attr, (1 << 21) - 1, &init);
	if (err)
		die("ibv_query_qp", err);
	return attr;
}
