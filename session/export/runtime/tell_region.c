#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>

/* Adds a region to those sent to the peer. */
static void tell_region(struct peer *own, const char *name, struct ibv_mr *mr, uint32_t access)
{
	struct peer_region *region = &own->regions[own->number_regions];

	if (!mr || own->number_regions == sizeof(own->regions) / sizeof(*region))
		return;
	snprintf(region->name, sizeof(region->name), "%s", name);
	region->addr = (uintptr_t)mr->addr;
	region->length = mr->length;
	region->rkey = mr->rkey;
	region->access = access;
	own->number_regions++;
}
