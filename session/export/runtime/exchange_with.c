#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* Exchanges addresses with a server over TCP. */
static struct peer exchange_with(const char *host, int port, const struct peer *own)
{
	struct sockaddr *address = address_of(host, port);
	struct peer other = { .sock = socket(address->sa_family, SOCK_STREAM, 0) };

	if (other.sock < 0)
		die("socket", errno);
	if (connect(other.sock, address, address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in)))
		die("exchange: connect", errno);
	send_address(other.sock, own);
	receive_address(&other);
	return other;
}
