#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/* Allocates device memory; returns NULL and sets errno on failure. */
static struct ibv_dm *alloc_dm(struct ibv_context *device, size_t length, uint32_t log_align_req)
{
	struct ibv_alloc_dm_attr attr = { .length = length, .log_align_req = log_align_req };

	return ibv_alloc_dm(device, &attr);
}
