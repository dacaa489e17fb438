#include <errno.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>

/* Registers memory that the caller has mapped, and unmaps it on failure. Returns NULL
 * and leaves errno set if mapping or registering failed. */
static struct ibv_mr *reg_mapped(struct ibv_pd *domain, void *memory, size_t length, int access)
{
	struct ibv_mr *region;
	int err;

	if (memory == MAP_FAILED)
		return NULL;
	region = ibv_reg_mr(domain, memory, length, access);
	if (!region) {
		err = errno;
		munmap(memory, length);
		errno = err;
	}
	return region;
}
