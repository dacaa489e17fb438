#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* Reads n bytes; returns fewer if the peer closed the connection or the deadline
 * passed. */
static size_t read_whole(int sock, char *text, size_t n, int64_t deadline)
{
	size_t got = 0;

	while (got < n && readable(sock, deadline)) {
		ssize_t k = read(sock, text + got, n - got);

		if (k <= 0)
			break;
		got += (size_t)k;
	}
	return got;
}
