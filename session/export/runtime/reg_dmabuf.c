#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

/* Maps a part of a dma-buf and registers it at the same addresses; returns NULL and
 * sets errno on failure. */
static struct ibv_mr *reg_dmabuf(struct ibv_pd *domain, int fd, off_t offset, size_t length, int access)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	struct ibv_mr *region;
	int err;

	if (memory == MAP_FAILED)
		return NULL;
	region = ibv_reg_dmabuf_mr(domain, offset, length, (uintptr_t)memory, fd, access);
	if (region) {
		region->addr = memory; /* the library sets it to the offset */
		return region;
	}
	err = errno;
	munmap(memory, length);
	errno = err;
	return NULL;
}
