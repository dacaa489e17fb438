#include <ctype.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Prints length bytes of a region, or up to its end, as hexadecimal digits and as
 * text. */
static void show_bytes(const char *name, const struct ibv_mr *region, size_t offset, size_t length)
{
	const uint8_t *byte = (const uint8_t *)region->addr + offset;
	size_t i;

	if (offset > region->length)
		return;
	if (length > region->length - offset)
		length = region->length - offset;
	printf("%s: ", name);
	for (i = 0; i < length; i++)
		printf("%02x", byte[i]);
	printf(" \"");
	for (i = 0; i < length; i++)
		putchar(isprint(byte[i]) ? byte[i] : '.');
	printf("\"\n");
}
