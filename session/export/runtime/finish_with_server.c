#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

/* Sends "done" to the server. Sends our regions only if the server sent its own. */
static void finish_with_server(struct peer *other, const struct peer *own, bool regions)
{
	if (write(other->sock, "done", sizeof("done")) != sizeof("done"))
		die("exchange: write", errno);
	if (regions && receive_regions(other, 2000) && !send_regions(other->sock, own))
		die("exchange: send", errno);
	close(other->sock);
}
