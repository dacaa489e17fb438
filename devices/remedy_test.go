package devices

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"rdmatui/verbs"
)

var (
	address  = regexp.MustCompile(`\d+\.\d+\.\d+\.\d+|NETDEV`)
	modprobe = regexp.MustCompile(`modprobe (\w+)`)
)

// TestRemedies: no remedy names an address, an interface or a module that the host does not have.
func TestRemedies(t *testing.T) {
	const index = "/lib/modules"
	for _, tt := range []struct {
		name, fixture string
		gone          []string
		missing       string // what must be said of the modules
	}{
		{"all that a distribution has", "bare", nil, ""},
		{"a working link", "rxe", nil, ""},
		{"cards", "cards", nil, ""},
		{"a container", "container", nil, ""},
		{"a kernel without modules", "bare", []string{index}, "install the modules of the running kernel"},
		{"a container without modules", "container", []string{index, "/sys/module", "/proc/modules"},
			"cannot load modules"},
		{"no loader", "bare", []string{"/proc/modules", index}, "cannot load modules"},
	} {
		sys := plant(t, tt.fixture)
		for _, path := range tt.gone {
			if err := os.RemoveAll(sys.at(path)); err != nil {
				t.Fatal(err)
			}
		}
		all := ""
		for _, f := range New([]verbs.Provider{&fakeProvider{name: "ibverbs"}}, sys).Diagnose(t.Context(), "") {
			all += f.Next + "\n"
			if m := address.FindString(f.Next); m != "" {
				t.Errorf("%s: %q names %s", tt.name, f.Next, m)
			}
			for _, m := range modprobe.FindAllStringSubmatch(f.Next, -1) {
				have, _ := readModules(sys).available(m[1])
				if have != available && !strings.Contains(f.Next, "on the host") {
					t.Errorf("%s: %q, but there is no such module", tt.name, f.Next)
				}
				if readModules(sys).has(m[1]) {
					t.Errorf("%s: %q, but the module is loaded", tt.name, f.Next)
				}
			}
		}
		if !strings.Contains(all, tt.missing) {
			t.Errorf("%s: %q is not said in\n%s", tt.name, tt.missing, all)
		}
	}
}

// TestLoad: how a module is loaded depends on what the running kernel has.
func TestLoad(t *testing.T) {
	const dir = "/lib/modules/6.1.0-50-amd64"
	for _, tt := range []struct {
		fixture, gone, module, want string
	}{
		{"bare", "", "ib_uverbs", "modprobe ib_uverbs"},
		{"bare", "", "siw", "install the distribution's full kernel modules"},
		{"bare", "/proc/modules", "ib_uverbs", "boot a kernel that has ib_uverbs"},
		{"bare", dir, "ib_uverbs", "install the modules of the running kernel: " + dir + " has none"},
		{"container", "/lib", "siw", "on the host: modprobe siw"},
	} {
		sys := plant(t, tt.fixture)
		if tt.gone != "" {
			if err := os.RemoveAll(sys.at(tt.gone)); err != nil {
				t.Fatal(err)
			}
		}
		if got := readModules(sys).load(tt.module); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s without %q: %q, want %q", tt.fixture, tt.gone, got, tt.want)
		}
	}
}

// TestMemlockErrno: a limit of 0 gives another errno than one that is too low, and a capability of a user namespace
// does not lift it.
func TestMemlockErrno(t *testing.T) {
	const ipcLock, initial, own = "0000000000004000", "0 0 4294967295\n", "0 100000 65536\n"
	for _, tt := range []struct {
		soft          uint64
		capability    string
		uidMap        string
		status        Status
		says, notSaid string
	}{
		{0, "0", initial, Warn, "EPERM", "ENOMEM"},
		{1, "0", initial, Warn, "ENOMEM", "EPERM"},
		{0, ipcLock, initial, OK, "exempt", "EPERM"},
		{0, ipcLock, own, Warn, "does not count in a user namespace", "exempt"},
		{65536, ipcLock, own, Warn, "ENOMEM", "exempt"},
		{65536, ipcLock, "", OK, "exempt", "ENOMEM"},
	} {
		sys := plant(t, "bare")
		sys.write(t, "/proc/self/status", "CapEff:\t"+tt.capability+"\n")
		sys.write(t, "/proc/self/uid_map", tt.uidMap)
		sys.soft, sys.hard = tt.soft, tt.soft
		f := checkMemlock(&examination{os: sys})[0]
		if f.Status != tt.status || !strings.Contains(f.Meaning, tt.says) || strings.Contains(f.Meaning, tt.notSaid) {
			t.Errorf("limit %d, capabilities %s, uid_map %q: %+v", tt.soft, tt.capability, tt.uidMap, f)
		}
	}
}
