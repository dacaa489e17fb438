#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <string.h>

/* The GID that an IP address has on RoCE. */
static union ibv_gid gid_of_address(const struct sockaddr *address)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (address->sa_family == AF_INET6)
		memcpy(gid.raw, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
	else
		memcpy(gid.raw + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
	return gid;
}
