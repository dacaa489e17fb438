#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Where a queue pair's packets begin to be counted: 24 bits, and not the same
 * ones each time, so that packets of an earlier run are not taken for new. */
static uint32_t random_psn(void)
{
	static unsigned int seed;

	if (!seed)
		seed = (unsigned int)time(NULL) ^ ((unsigned int)getpid() << 16);
	return (uint32_t)rand_r(&seed) & 0xffffff;
}
