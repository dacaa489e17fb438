#include <errno.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>

/* Changes a region. A change of translation moves it to new zeroed memory and unmaps
 * the old memory. */
static int rereg_mr(struct ibv_mr *region, int flags, struct ibv_pd *domain, size_t length, int access)
{
	void *before = region->addr, *memory = NULL;
	size_t length_before = region->length;
	int err;

	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return errno;
	}
	errno = 0;
	if (ibv_rereg_mr(region, flags, domain, memory, length, access)) {
		err = errno ? errno : EINVAL;
		if (memory)
			munmap(memory, length);
		return err;
	}
	if (memory)
		munmap(before, length_before);
	return 0;
}
