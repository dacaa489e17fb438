#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>

/* Maps a part of a file; read-only if the file cannot be opened for writing. */
static void *map_file(const char *path, off_t offset, size_t length)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS || errno == ETXTBSY))
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return map_open(fd, offset, length);
}
