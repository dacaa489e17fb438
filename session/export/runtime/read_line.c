#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Reads a line from standard input into a region and fills the rest with zeros. At
 * the end of the input it stores the text end instead; NULL: it exits. */
static void read_line(struct ibv_mr *to, const char *prompt, const char *end)
{
	char *text = to->addr;
	size_t length = 0;
	int c;

	printf("%s: ", prompt);
	fflush(stdout);
	memset(text, 0, to->length);
	while ((c = getchar()) != EOF && c != '\n')
		if (length + 1 < to->length)
			text[length++] = (char)c;
	if (c != EOF || length > 0)
		return;
	if (!end)
		die("the input has ended", ENODATA);
	for (; end[length] && length + 1 < to->length; length++)
		text[length] = end[length];
}
