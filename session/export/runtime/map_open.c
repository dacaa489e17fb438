#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maps a part of an open file and closes it; returns MAP_FAILED and sets errno on failure. */
static void *map_open(int fd, off_t offset, size_t length)
{
	void *memory = MAP_FAILED;
	struct stat file;
	int protection = PROT_READ | PROT_WRITE, err;

	if (fd < 0)
		return MAP_FAILED;
	if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		protection = PROT_READ;
	if (!fstat(fd, &file)) {
		if (length > (size_t)file.st_size || offset > (off_t)(file.st_size - length))
			errno = EINVAL; /* beyond the end of the file */
		else
			memory = mmap(NULL, length, protection, MAP_SHARED, fd, offset);
	}
	err = errno;
	close(fd);
	errno = err;
	return memory;
}
