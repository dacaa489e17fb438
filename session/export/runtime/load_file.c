#include <errno.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a whole file into memory of room bytes. */
static void load_file(const char *path, void *at, size_t room)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		die(path, errno);
	if (fread(at, 1, room, file) == room && fgetc(file) != EOF)
		die(path, EFBIG);
	if (ferror(file))
		die(path, EIO);
	fclose(file);
}
