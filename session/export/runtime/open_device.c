#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

/* Opens the device of that name; on failure prints the reason, sets errno and
 * returns NULL. */
static struct ibv_context *open_device(const char *name)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list, *found = NULL;
	int n = 0, err = ENODEV;

	list = ibv_get_device_list(&n);
	if (!list)
		err = errno;
	for (int i = 0; list && i < n; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name))
			found = list[i];
	}
	if (found) {
		context = ibv_open_device(found);
		err = errno;
	}
	if (found && !context)
		fprintf(stderr, "ibv_open_device(%s): %s\n", name, strerror(err));
	else if (!found && n > 0)
		fprintf(stderr, "there is no device %s: choose one that ibv_devices lists\n", name);
	else if (!found)
		fprintf(stderr, "no RDMA device was found on this host: ibv_get_device_list: %s\n",
			list ? "none" : strerror(err));
	if (list)
		ibv_free_device_list(list);
	errno = err;
	return context;
}
