#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Tells the own address, and waits for the client's last word. Then the regions
 * follow: first the own, then those of a client that answers. */
static void finish_as_server(struct peer *other, const struct peer *own, bool regions)
{
	char word[sizeof("done")] = "";
	size_t got = 0;
	ssize_t n;

	send_address(other->sock, own);
	while (got < sizeof(word)) {
		n = read(other->sock, word + got, sizeof(word) - got);
		if (n <= 0)
			die("the exchange: read", n ? errno : ECONNRESET);
		got += (size_t)n;
	}
	if (memcmp(word, "done", sizeof(word)))
		die("the exchange", EPROTO);
	if (regions && send_regions(other->sock, own))
		receive_regions(other, 500);
	close(other->sock);
}
