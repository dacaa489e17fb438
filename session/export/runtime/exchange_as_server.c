#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* Waits for a client and receives its address. Ours is sent later. */
static struct peer exchange_as_server(int port, int64_t timeout_ms)
{
	struct sockaddr *address = address_of(NULL, port);
	struct peer other = { .sock = -1 };
	int listener, one = 1;

	listener = socket(address->sa_family, SOCK_STREAM, 0);
	if (listener < 0)
		die("socket", errno);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, address, sizeof(struct sockaddr_in6)) || listen(listener, 1))
		die("exchange: listen", errno);
	if (!readable(listener, now_ms() + timeout_ms))
		die("exchange: no peer connected", ETIMEDOUT);
	other.sock = accept(listener, NULL, NULL);
	if (other.sock < 0)
		die("exchange: accept", errno);
	close(listener);
	receive_address(&other);
	return other;
}
