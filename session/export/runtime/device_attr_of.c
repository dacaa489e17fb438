#include <infiniband/verbs.h>

static struct ibv_device_attr device_attr_of(struct ibv_context *context)
{
	struct ibv_device_attr attr;
	int err;

	err = ibv_query_device(context, &attr);
	if (err)
		die("ibv_query_device", err);
	return attr;
}
