#include <infiniband/verbs.h>

static struct ibv_port_attr port_attr_of(struct ibv_context *context, int port)
{
	struct ibv_port_attr attr = { .state = IBV_PORT_NOP };
	int err;

	err = ibv_query_port(context, port, &attr);
	if (err)
		die("ibv_query_port", err);
	return attr;
}
