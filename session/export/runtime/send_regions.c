#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>

/* Sends our regions in rdmatui's format: their number, then address, length, remote
 * key, access and name of each, in fixed columns that end with a NUL. Returns false
 * if the peer has closed the connection, as a stock pingpong program does. */
static bool send_regions(int sock, const struct peer *own)
{
	char text[sizeof("regions:00") + 32 * sizeof("0000000000000000:0000000000000000:00000000:00000000:00000000000000000000000000000000")];
	size_t at = (size_t)sprintf(text, "regions:%02x", own->number_regions) + 1;
	unsigned int i;

	for (i = 0; i < own->number_regions; i++) {
		const struct peer_region *r = &own->regions[i];

		at += (size_t)sprintf(text + at, "%016" PRIx64 ":%016" PRIx64 ":%08" PRIx32 ":%08" PRIx32 ":%-32s",
				      r->addr, r->length, r->rkey, r->access, r->name) + 1;
	}
	return send(sock, text, at, MSG_NOSIGNAL) == (ssize_t)at;
}
