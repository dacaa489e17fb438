#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the peer's region of that name, or its first one if name is NULL. */
static const struct peer_region *region_of(const struct peer *other, const char *name)
{
	unsigned int i;

	for (i = 0; i < other->number_regions; i++)
		if (!name || !strcmp(other->regions[i].name, name))
			return &other->regions[i];
	fprintf(stderr, "the peer sent no region %s\n", name ? name : "at all");
	exit(1);
}
