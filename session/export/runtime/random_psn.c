#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Returns a 24-bit initial packet sequence number. It differs from run to run, so
 * that late packets of an earlier run are not accepted. */
static uint32_t random_psn(void)
{
	static unsigned int seed;

	if (!seed)
		seed = (unsigned int)time(NULL) ^ ((unsigned int)getpid() << 16);
	return (uint32_t)rand_r(&seed) & 0xffffff;
}
