#include <errno.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>

/* Registers fresh zeroed memory; NULL, and errno, where that fails. */
static struct ibv_mr *reg_mr(struct ibv_pd *domain, size_t length, int access)
{
	struct ibv_mr *region;
	void *memory;
	int err;

	memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
