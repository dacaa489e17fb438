#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reports whether memory of room bytes begins with the whole content of a file. */
static bool is_file(const char *path, const void *at, size_t room)
{
	const uint8_t *byte = at;
	FILE *file = fopen(path, "rb");
	bool same = file;
	int c;

	while (same && (c = fgetc(file)) != EOF) {
		same = room > 0 && c == *byte++;
		room--;
	}
	if (file)
		fclose(file);
	return same;
}
