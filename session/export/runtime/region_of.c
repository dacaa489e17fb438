#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A region that the peer has told; NULL is its first one. */
static const struct peer_region *region_of(const struct peer *other, const char *name)
{
	unsigned int i;

	for (i = 0; i < other->number_regions; i++)
		if (!name || !strcmp(other->regions[i].name, name))
			return &other->regions[i];
	fprintf(stderr, "the peer has told no region %s\n", name ? name : "at all");
	exit(1);
}
