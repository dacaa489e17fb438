#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <linux/memfd.h>
#include <linux/udmabuf.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Creates a dma-buf from zeroed memory with udmabuf and registers it; returns NULL and
 * sets errno on failure. */
static struct ibv_mr *reg_udmabuf(struct ibv_pd *domain, off_t offset, size_t length, int access)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = offset + length };
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int pages = syscall(SYS_memfd_create, "buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING), buffer = -1, err;
	struct ibv_mr *region = NULL;

	/* F_ADD_SEALS, F_SEAL_SHRINK: udmabuf requires memory that cannot shrink */
	if (device >= 0 && pages >= 0 && !ftruncate(pages, create.size) && !fcntl(pages, 1033, 2)) {
		create.memfd = pages;
		buffer = ioctl(device, UDMABUF_CREATE, &create);
	}
	if (buffer >= 0)
		region = reg_dmabuf(domain, buffer, offset, length, access);
	err = errno;
	if (device >= 0)
		close(device);
	if (pages >= 0)
		close(pages);
	if (buffer >= 0)
		close(buffer); /* the region and the mapping keep it alive */
	errno = err;
	return region;
}
