#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Sends an address in the format of the stock pingpong programs: LID:QPN:PSN:GID in
 * hexadecimal digits, and a NUL. */
static void send_address(int sock, const struct peer *own)
{
	char text[sizeof("0000:000000:000000:00000000000000000000000000000000")];
	int i, at;

	at = snprintf(text, sizeof(text), "%04x:%06x:%06x:", own->lid, own->qp_num & 0xffffff, own->psn & 0xffffff);
	for (i = 0; i < 16; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%02x", own->gid.raw[i]);
	if (write(sock, text, sizeof(text)) != sizeof(text))
		die("exchange: write", errno);
}
