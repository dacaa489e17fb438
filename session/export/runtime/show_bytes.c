#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Prints bytes as hexadecimal digits and as text. */
static void show_bytes(const char *name, const void *at, size_t length)
{
	const uint8_t *byte = at;
	size_t i;

	printf("%s: ", name);
	for (i = 0; i < length; i++)
		printf("%02x", byte[i]);
	printf(" \"");
	for (i = 0; i < length; i++)
		putchar(isprint(byte[i]) ? byte[i] : '.');
	printf("\"\n");
}
