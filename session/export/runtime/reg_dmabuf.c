#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

/* Registers a part of a dma-buf and maps it at the same addresses; NULL, and errno, where either fails. */
static struct ibv_mr *reg_dmabuf(struct ibv_pd *domain, int fd, off_t offset, size_t length, int access)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	struct ibv_mr *region;
	int err;

	if (memory == MAP_FAILED)
		return NULL;
	region = ibv_reg_dmabuf_mr(domain, offset, length, (uintptr_t)memory, fd, access);
	if (region) {
		region->addr = memory; /* the library puts the offset there */
		return region;
	}
	err = errno;
	munmap(memory, length);
	errno = err;
	return NULL;
}
