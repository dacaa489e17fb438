#include <stdint.h>
#include <time.h>

/* Returns milliseconds of the monotonic clock, so that setting the time does no harm. */
static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
