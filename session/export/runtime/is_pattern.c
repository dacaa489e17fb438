#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reports whether memory holds the repeating bytes 0, 1 ... 250 from position from. */
static bool is_pattern(const void *at, size_t length, size_t from)
{
	const uint8_t *byte = at;
	size_t i;

	for (i = 0; i < length; i++)
		if (byte[i] != (uint8_t)((from + i) % 251))
			return false;
	return true;
}
