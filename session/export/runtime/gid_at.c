#include <errno.h>
#include <infiniband/verbs.h>

/* Queries one entry of a port's GID table. */
static union ibv_gid gid_at(struct ibv_context *context, int port, int index)
{
	union ibv_gid gid;

	if (ibv_query_gid(context, port, index, &gid))
		die("ibv_query_gid", errno);
	return gid;
}
