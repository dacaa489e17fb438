#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/* Takes some of a device's own memory; NULL, and errno, where that fails. */
static struct ibv_dm *alloc_dm(struct ibv_context *device, size_t length, uint32_t log_align_req)
{
	struct ibv_alloc_dm_attr attr = { .length = length, .log_align_req = log_align_req };

	return ibv_alloc_dm(device, &attr);
}
