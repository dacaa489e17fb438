#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Resolves a host name or number and a port; a NULL host is the wildcard
 * address. The result is overwritten by the second call after this one. */
static struct sockaddr *address_of(const char *host, int port)
{
	struct addrinfo hints = { .ai_flags = host ? 0 : AI_PASSIVE, .ai_family = host ? AF_UNSPEC : AF_INET6 };
	static struct sockaddr_storage found[2];
	static int turn;
	struct addrinfo *list;
	char service[8];
	int err;

	snprintf(service, sizeof(service), "%d", port & 0xffff);
	err = getaddrinfo(host, service, &hints, &list);
	if (err) {
		fprintf(stderr, "%s: %s\n", host ? host : "any address", gai_strerror(err));
		exit(EXIT_FAILURE);
	}
	turn = !turn;
	memcpy(&found[turn], list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return (struct sockaddr *)&found[turn];
}
