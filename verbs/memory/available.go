package memory

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// room is an upper bound on the memory that this process may still allocate.
type room struct {
	bytes uint64
	of    string // the limit that sets the bound
}

// least returns the smallest of several bounds.
func least(rooms []room) room {
	all := room{math.MaxInt64, "the address space"}
	for _, r := range rooms {
		if r.bytes < all.bytes {
			all = r
		}
	}
	return all
}

// machine reads the kernel's estimate of memory available without swapping: MemAvailable, proc(5).
func machine(files fs.FS) []room {
	if n, ok := field(files, "proc/meminfo", "MemAvailable:"); ok {
		return []room{{n << 10, "the memory available"}}
	}
	return nil
}

// cgroups reads what the control groups of this process still allow, of version 2 and 1; cgroups(7). A container may
// see its own group as the root, so that the path that the kernel reports does not exist: therefore the root's limit is
// always read.
func cgroups(files fs.FS) (rooms []room) {
	b, err := fs.ReadFile(files, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		switch {
		case part[0] == "0" && part[1] == "":
			rooms = append(rooms,
				group(files, "sys/fs/cgroup", part[2], "memory.max", "memory.current", "inactive_file ")...)
		case strings.Contains(","+part[1]+",", ",memory,"):
			rooms = append(rooms, group(files, "sys/fs/cgroup/memory", part[2], "memory.limit_in_bytes",
				"memory.usage_in_bytes", "total_inactive_file ")...)
		}
	}
	return rooms
}

// group reads what a control group and its ancestors still allow. Reclaimable page cache counts as free.
func group(files fs.FS, root, at, limitFile, usageFile, cacheField string) (rooms []room) {
	for dir := path.Join("/", at); ; dir = path.Dir(dir) {
		limit, ok := number(files, path.Join(root, dir, limitFile))
		if usage, known := number(files, path.Join(root, dir, usageFile)); ok && known {
			cache, _ := field(files, path.Join(root, dir, "memory.stat"), cacheField)
			rooms = append(rooms,
				room{below(limit, below(usage, cache)), "what the control group's memory limit leaves"})
		}
		if dir == "/" {
			return rooms
		}
	}
}

// number reads a file that contains one number; ok is false for "max".
func number(files fs.FS, name string) (uint64, bool) {
	b, err := fs.ReadFile(files, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(b)), 10, 64)
	return n, err == nil
}

// field reads the number that follows a name at the start of a line.
func field(files fs.FS, file, name string) (uint64, bool) {
	b, err := fs.ReadFile(files, file)
	if err != nil {
		return 0, false
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), name); found {
			word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			n, err := strconv.ParseUint(word, 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// below returns a-b, or 0 if that is negative.
func below(a, b uint64) uint64 { return a - min(a, b) }
