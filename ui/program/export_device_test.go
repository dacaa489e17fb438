package program

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"rdmatui/session"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// devicesOf replaces libibverbs where an exported program looks for its device; DEVICES says what it finds.
const devicesOf = `
struct ibv_device **ibv_get_device_list(int *n)
{
	static struct ibv_device one, *some[] = { &one, NULL }, *none[] = { NULL };

	errno = ENOSYS;
	*n = 0;
	if (!strcmp(getenv("DEVICES"), "unknown"))
		return NULL;
	*n = strcmp(getenv("DEVICES"), "none") ? 1 : 0;
	return *n ? some : none;
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device ? getenv("DEVICES") : NULL;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	(void)device;
	errno = EACCES;
	return NULL;
}

void ibv_free_device_list(struct ibv_device **list)
{
	(void)list;
}
`

// TestExportedProgramMissesItsDevice: without its device, an exported program says in one line why.
func TestExportedProgramMissesItsDevice(t *testing.T) {
	cc := compiler(t)
	s := session.New(session.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	for _, line := range []string{"open_device soft0", "alloc_pd"} {
		if _, err := s.Exec(t.Context(), line); err != nil {
			t.Fatal(line, err)
		}
	}
	source, _ := exported(t, s, "device")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, append(text, devicesOf...), 0o644); err != nil {
		t.Fatal(err)
	}
	program := compile(t, cc, source)
	for devices, want := range map[string]string{
		"unknown": "no RDMA device was found on this host: ibv_get_device_list: Function not implemented\n",
		"none":    "no RDMA device was found on this host: ibv_get_device_list: none\n",
		"mlx5_0":  "there is no device soft0: choose one that ibv_devices lists\n",
		"soft0":   "ibv_open_device(soft0): Permission denied\n",
	} {
		cmd := exec.Command(program)
		cmd.Env = []string{"DEVICES=" + devices, "LC_ALL=C"}
		_, err := cmd.Output()
		var failed *exec.ExitError
		if !errors.As(err, &failed) || failed.ExitCode() != 1 || string(failed.Stderr) != want {
			t.Errorf("%s: %v, want %q", devices, err, want)
			if failed != nil {
				t.Errorf("%s", failed.Stderr)
			}
		}
	}
}
