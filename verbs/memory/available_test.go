package memory

import (
	"testing"
	"testing/fstest"
)

const mib = 1 << 20

// TestAvailable reads machines and control groups of several kinds.
func TestAvailable(t *testing.T) {
	meminfo := "MemTotal: 16384 kB\nMemFree: 1 kB\nMemAvailable:    8192 kB\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  uint64
	}{
		{"no group", map[string]string{"proc/meminfo": meminfo}, 8 * mib},
		{"version 2 without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user.slice/a.scope\n",
			"sys/fs/cgroup/user.slice/memory.max": "max\n", "sys/fs/cgroup/user.slice/memory.current": "5\n",
		}, 8 * mib},
		{"version 2, the limit of a group above", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user.slice/a.scope\n",
			"sys/fs/cgroup/user.slice/memory.max":             "5242880\n",
			"sys/fs/cgroup/user.slice/memory.current":         "4194304\n",
			"sys/fs/cgroup/user.slice/memory.stat":            "anon 1\ninactive_file 2097152\nactive_file 3\n",
			"sys/fs/cgroup/user.slice/a.scope/memory.max":     "7340032\n",
			"sys/fs/cgroup/user.slice/a.scope/memory.current": "1048576\n",
		}, 3 * mib},
		{"version 2 in a container that sees another path", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/docker/0123\n",
			"sys/fs/cgroup/memory.max": "5242880\n", "sys/fs/cgroup/memory.current": "1048576\n",
		}, 4 * mib},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "3145728\n",
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": "2097152\n",
			"sys/fs/cgroup/memory/job/memory.stat":           "inactive_file 1\ntotal_inactive_file 1048576\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":     "4194304\n",
		}, 2 * mib},
		{"more in use than allowed", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1\n", "sys/fs/cgroup/memory.current": "2\n",
		}, 0},
		{"garbage", map[string]string{"proc/meminfo": "MemAvailable: kB\n", "proc/self/cgroup": "0\n::\n4:memory\n"},
			1<<63 - 1},
		{"nothing", nil, 1<<63 - 1},
	} {
		files := fstest.MapFS{}
		for name, text := range tt.files {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := least(append(machine(files), cgroups(files)...)); got.bytes != tt.want || got.of == "" {
			t.Errorf("%s: %d bytes (%s), want %d", tt.name, got.bytes, got.of, tt.want)
		}
	}
}
