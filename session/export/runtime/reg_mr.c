#include <infiniband/verbs.h>
#include <sys/mman.h>

/* Maps zeroed memory and registers it; returns NULL and sets errno on failure. */
static struct ibv_mr *reg_mr(struct ibv_pd *domain, size_t length, int access)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return reg_mapped(domain, memory, length, access);
}
