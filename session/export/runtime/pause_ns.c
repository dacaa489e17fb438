#include <stdint.h>
#include <time.h>

static void pause_ns(int64_t ns)
{
	struct timespec span = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (nanosleep(&span, &span))
		;
}
