#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

/* Opens the device of that name; NULL, and errno, where that fails. */
static struct ibv_context *open_device(const char *name)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list;
	int i, err = ENODEV;

	list = ibv_get_device_list(NULL);
	if (!list)
		return NULL;
	for (i = 0; list[i]; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name)) {
			context = ibv_open_device(list[i]);
			err = errno;
			break;
		}
	}
	ibv_free_device_list(list);
	if (!context && err == ENODEV)
		fprintf(stderr, "there is no device %s: choose one that ibv_devices lists\n", name);
	errno = err;
	return context;
}
