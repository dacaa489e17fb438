#include <infiniband/verbs.h>
#include <stdint.h>

/* The address and regions of a queue pair: the peer's, or ours to be sent. */
struct peer {
	uint16_t lid;
	uint32_t qp_num;
	uint32_t psn;
	union ibv_gid gid;
	int sock; /* the TCP connection of the exchange */
	unsigned int number_regions;
	struct peer_region regions[32]; /* that the other end may access */
};
