#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* Receives the peer's regions. Returns false if it sends none, as a stock pingpong
 * program does. */
static bool receive_regions(struct peer *other, int64_t patience_ms)
{
	char text[sizeof("0000000000000000:0000000000000000:00000000:00000000:00000000000000000000000000000000")];
	int64_t deadline = now_ms() + patience_ms;
	size_t got = read_whole(other->sock, text, sizeof("regions:00"), deadline);
	unsigned int i, number;

	if (!got)
		return false;
	if (got != sizeof("regions:00") || text[got - 1] || sscanf(text, "regions:%2x", &number) != 1 || number > 32)
		die("exchange: malformed number of regions", EPROTO);
	for (i = 0; i < number; i++) {
		struct peer_region *r = &other->regions[i];

		got = read_whole(other->sock, text, sizeof(text), deadline);
		if (got != sizeof(text) || text[got - 1] ||
		    sscanf(text, "%16" SCNx64 ":%16" SCNx64 ":%8" SCNx32 ":%8" SCNx32 ":%32[A-Za-z0-9_]",
			   &r->addr, &r->length, &r->rkey, &r->access, r->name) != 5)
			die("exchange: malformed region", EPROTO);
	}
	other->number_regions = number;
	return true;
}
