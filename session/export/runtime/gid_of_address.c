#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <string.h>

/* Returns the RoCE GID of an IP address; an IPv4 address is mapped to IPv6. */
static union ibv_gid gid_of_address(const struct sockaddr *address)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (address->sa_family == AF_INET6)
		memcpy(gid.raw, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
	else
		memcpy(gid.raw + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
	return gid;
}
