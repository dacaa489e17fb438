#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program where a call went well that is to fail, or that fails with
 * another errno than this one; 0 is any. */
static void must_fail(const char *call, int err, int want)
{
	if (err && (!want || err == want))
		return;
	fprintf(stderr, "%s: %s, but it is to fail%s%s\n", call, err ? strerror(err) : "done",
		want ? " with " : "", want ? strerror(want) : "");
	exit(EXIT_FAILURE);
}
