package memory

import (
	"io/fs"
	"syscall"
)

// available returns how many bytes this process may still allocate, and which limit applies.
func available(files fs.FS) (bytes uint64, of string) {
	rooms := append(machine(files), cgroups(files)...)
	rooms = append(rooms, limited(files, syscall.RLIMIT_AS, "VmSize:", threadRoom, "what ulimit -v leaves")...)
	rooms = append(rooms, limited(files, syscall.RLIMIT_DATA, "VmData:", 0, "what ulimit -d leaves")...)
	r := least(rooms)
	return r.bytes, r.of
}

// threadRoom is the address space reserved for threads, in bytes: the C library reserves 72 MiB for each and uses
// little of it.
const threadRoom = 512 << 20

// limited reads what a resource limit leaves after besides bytes are subtracted; usage is the field of
// /proc/self/status that it limits.
func limited(files fs.FS, resource int, usage string, besides uint64, of string) []room {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(resource, &limit); err != nil || int64(limit.Cur) < 0 {
		return nil // unlimited
	}
	used, _ := field(files, "proc/self/status", usage)
	return []room{{below(limit.Cur, used<<10+besides), of}}
}
