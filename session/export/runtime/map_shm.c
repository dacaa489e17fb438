#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>

/* Shared memory objects that this program has created. */
static struct {
	const char *names[64];
	size_t n;
} made_shm;

static void unlink_shm(void)
{
	while (made_shm.n > 0)
		shm_unlink(made_shm.names[--made_shm.n]);
}

/* Maps a part of a shared memory object. If there is none of that name, it is created,
 * and removed when the program exits. */
static void *map_shm(const char *name, off_t offset, size_t length)
{
	int fd = shm_open(name, O_RDWR, 0), err;

	if (fd < 0 && errno == ENOENT && made_shm.n < sizeof(made_shm.names) / sizeof(*made_shm.names)) {
		fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (fd < 0)
			return MAP_FAILED;
		if (made_shm.n == 0)
			atexit(unlink_shm);
		made_shm.names[made_shm.n++] = name;
		err = posix_fallocate(fd, 0, offset + length);
		if (err) {
			errno = err;
			return MAP_FAILED;
		}
	}
	return map_open(fd, offset, length);
}
