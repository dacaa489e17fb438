#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

/* Returns the attributes with which the connection manager would bring a queue pair
 * to a state. */
static struct ibv_qp_attr init_attr_of(struct rdma_cm_id *id, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	if (rdma_init_qp_attr(id, &attr, &mask))
		die("rdma_init_qp_attr", errno);
	return attr;
}
