#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Receives an address in the format of the stock pingpong programs. */
static void receive_address(struct peer *other)
{
	char text[sizeof("0000:000000:000000:00000000000000000000000000000000")];
	unsigned int lid, qp_num, psn, byte;
	size_t got = 0;
	int i;

	while (got < sizeof(text)) {
		ssize_t n = read(other->sock, text + got, sizeof(text) - got);

		if (n <= 0)
			die("exchange: read", n ? errno : ECONNRESET);
		got += (size_t)n;
	}
	text[sizeof(text) - 1] = 0;
	if (sscanf(text, "%4x:%6x:%6x:", &lid, &qp_num, &psn) != 3)
		die("exchange: malformed address", EPROTO);
	other->lid = (uint16_t)lid;
	other->qp_num = qp_num;
	other->psn = psn;
	for (i = 0; i < 16; i++) {
		if (sscanf(text + 19 + 2 * i, "%2x", &byte) != 1)
			die("exchange: malformed GID", EPROTO);
		other->gid.raw[i] = (uint8_t)byte;
	}
}
