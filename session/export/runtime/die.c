#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program where a call failed. What it has made goes with the process. */
static void die(const char *call, int err)
{
	fprintf(stderr, "%s: %s\n", call, err ? strerror(err) : "failed");
	exit(EXIT_FAILURE);
}
