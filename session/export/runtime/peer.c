#include <infiniband/verbs.h>
#include <stdint.h>

/* What is known of a queue pair elsewhere, or what is told of the own. */
struct peer {
	uint16_t lid;
	uint32_t qp_num;
	uint32_t psn;
	union ibv_gid gid;
	int sock; /* while the exchange goes on */
	unsigned int number_regions;
	struct peer_region regions[32]; /* that its end lets the other reach */
};
