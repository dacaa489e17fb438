#include <infiniband/verbs.h>
#include <sys/mman.h>

/* Deregisters a region and unmaps its memory. */
static int dereg_mr(struct ibv_mr *region)
{
	void *memory = region->addr;
	size_t length = region->length;
	int err;

	err = ibv_dereg_mr(region);
	if (!err)
		munmap(memory, length);
	return err;
}
