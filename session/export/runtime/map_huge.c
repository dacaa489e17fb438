#include <sys/mman.h>

/* Maps huge pages of 2^size_bits bytes; size_bits 0 is the system's default. */
static void *map_huge(size_t length, int size_bits)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size_bits << 26; /* MAP_HUGE_SHIFT */

	return mmap(NULL, length, PROT_READ | PROT_WRITE, flags, -1, 0);
}
