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

// room is an upper bound of the memory that this process may still take.
type room struct {
	bytes uint64
	of    string // what bounds it
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

// machine reads what Linux thinks can be had without swapping: MemAvailable, proc(5).
func machine(files fs.FS) []room {
	if n, ok := field(files, "proc/meminfo", "MemAvailable:"); ok {
		return []room{{n << 10, "the memory available"}}
	}
	return nil
}

// cgroups reads what the control groups of this process leave, of version 2 and 1; cgroups(7). A container may see its own group as the
// root, so that the path which the kernel tells does not exist: the root's limit is read in any case.
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
			rooms = append(rooms, group(files, "sys/fs/cgroup", part[2], "memory.max", "memory.current", "inactive_file ")...)
		case strings.Contains(","+part[1]+",", ",memory,"):
			rooms = append(rooms, group(files, "sys/fs/cgroup/memory", part[2], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")...)
		}
	}
	return rooms
}

// group reads what a control group and those above it leave. What the page cache can do without counts as free.
func group(files fs.FS, root, at, limitFile, usageFile, cacheField string) (rooms []room) {
	for dir := path.Join("/", at); ; dir = path.Dir(dir) {
		limit, ok := number(files, path.Join(root, dir, limitFile))
		if usage, known := number(files, path.Join(root, dir, usageFile)); ok && known {
			cache, _ := field(files, path.Join(root, dir, "memory.stat"), cacheField)
			rooms = append(rooms, room{below(limit, below(usage, cache)), "what the control group's memory limit leaves"})
		}
		if dir == "/" {
			return rooms
		}
	}
}

// number reads a file with one number; "max" is none.
func number(files fs.FS, name string) (uint64, bool) {
	b, err := fs.ReadFile(files, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(b)), 10, 64)
	return n, err == nil
}

// field reads the number behind a name at the start of a line.
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

// below returns a-b, 0 where that is negative.
func below(a, b uint64) uint64 { return a - min(a, b) }
