#include <errno.h>
#include <sys/mman.h>

/* Maps zeroed memory for the caller to register. */
static void *new_memory(size_t length)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap", errno);
	return memory;
}
