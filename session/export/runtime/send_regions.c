#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>

/* Tells the own regions as rdmatui does: their number, and for each a line of
 * address, length, key, access and name, all in fixed columns and with a NUL.
 * false: the peer, a stock program, has hung up. */
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
