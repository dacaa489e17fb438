#include <arpa/inet.h>
#include <infiniband/verbs.h>

/* Parses a GID, which is written like an IPv6 address. */
static union ibv_gid gid_from(const char *text)
{
	union ibv_gid gid;

	if (inet_pton(AF_INET6, text, gid.raw) != 1)
		die(text, EINVAL);
	return gid;
}
