#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* Waits until a file descriptor is readable; returns false on timeout. */
static bool readable(int fd, int64_t deadline)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	for (;;) {
		int64_t left = deadline - now_ms();
		int n = poll(&ready, 1, left < 0 ? 0 : left > 1000 ? 1000 : (int)left);

		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			die("poll", errno);
		if (left <= 0)
			return false;
	}
}
