#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdio.h>

static void show_gid(int index, union ibv_gid gid)
{
	char text[INET6_ADDRSTRLEN];

	printf("gid %d: %s\n", index, inet_ntop(AF_INET6, gid.raw, text, sizeof(text)));
}
