#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Sends our address and waits for the client's "done". Then sends our regions and
 * receives the client's; a stock pingpong program sends none. */
static void finish_as_server(struct peer *other, const struct peer *own, bool regions)
{
	char word[sizeof("done")] = "";
	size_t got = 0;
	ssize_t n;

	send_address(other->sock, own);
	while (got < sizeof(word)) {
		n = read(other->sock, word + got, sizeof(word) - got);
		if (n <= 0)
			die("exchange: read", n ? errno : ECONNRESET);
		got += (size_t)n;
	}
	if (memcmp(word, "done", sizeof(word)))
		die("exchange: the client did not send \"done\"", EPROTO);
	if (regions && send_regions(other->sock, own))
		receive_regions(other, 500);
	close(other->sock);
}
