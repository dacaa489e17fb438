#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

/* The client's last word. To a server that tells its regions it tells the own. */
static void finish_with_server(struct peer *other, const struct peer *own, bool regions)
{
	if (write(other->sock, "done", sizeof("done")) != sizeof("done"))
		die("the exchange: write", errno);
	if (regions && receive_regions(other, 2000) && !send_regions(other->sock, own))
		die("the exchange: send", errno);
	close(other->sock);
}
