#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Tells the own address, and waits for the client's last word. */
static void finish_as_server(struct peer *other, struct peer own)
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
	close(other->sock);
}
