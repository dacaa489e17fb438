#include <stdint.h>

/* A region that one end lets the other access. */
struct peer_region {
	char name[33];
	uint64_t addr;
	uint64_t length;
	uint32_t rkey;
	uint32_t access;
};
