package devices

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"rdmatui/verbs/format"
)

// checkCharDevices opens the character devices that libibverbs uses.
func checkCharDevices(e *examination) []Finding {
	if !e.linux() {
		return nil
	}
	const dir = "/dev/infiniband"
	names, _ := e.os.ReadDir(dir)
	if e.exclusive && len(e.class) == 0 {
		names = nil // they belong to devices in other network namespaces
	}
	var found []Finding
	for _, name := range names {
		if strings.HasPrefix(name, "uverbs") {
			found = append(found, e.accessFinding(dir+"/"+name, "ib_uverbs", "programs can open the device", Fail))
		}
	}
	if len(found) > 0 {
		return found
	}
	f := e.missingFile(dir+"/uverbs*: none", "ib_uverbs", Fail)
	if len(e.class) == 0 {
		f.Next = "get a device first: see rdma_class"
	} else if marker := containerMarker(e.os); marker != "" {
		f.Meaning = "the container sees the devices in /sys but has no access to their files"
		f.Next = "start it with --device=/dev/infiniband"
	}
	return []Finding{f}
}

func checkConnectionManager(e *examination) []Finding {
	const file = "/dev/infiniband/rdma_cm"
	if len(e.class) == 0 {
		return nil
	}
	return []Finding{e.accessFinding(file, "rdma_ucm", "programs can use the connection manager", Warn)}
}

// accessFinding opens a file that a module makes.
func (e *examination) accessFinding(file, module, good string, bad Status) Finding {
	err := e.os.Access(file)
	switch {
	case err == nil:
		return Finding{Status: OK, Looked: file + ": can be opened", Meaning: good}
	case errors.Is(err, fs.ErrPermission):
		return Finding{Status: bad, Looked: file + ": permission denied",
			Meaning: "this user has no permission to open it",
			Next: "join the group that owns it (ls -l " + file +
				"; often rdma) or run as root; in a container, allow the device in its cgroup"}
	case errors.Is(err, fs.ErrNotExist):
		return e.missingFile(file+": missing", module, bad)
	}
	return Finding{
		Status: bad, Looked: fmt.Sprintf("%s: %v", file, err),
		Meaning: "it cannot be opened", Next: "read the kernel log: dmesg",
	}
}

// missingFile says how to get a file in /dev/infiniband that a module makes.
func (e *examination) missingFile(looked, module string, bad Status) Finding {
	f := Finding{Status: bad, Looked: looked, Next: e.modules.load(module),
		Meaning: "its kernel module is not loaded, or this container has no access to the file"}
	if e.modules.has(module) {
		f.Meaning = module + " is loaded, but nothing made its file in /dev"
		f.Next = "start udev, or mount devtmpfs on /dev; in a container: --device=/dev/infiniband"
	}
	return f
}

// driverFiles maps a kernel module to the name of the libibverbs driver that it
// needs.
var driverFiles = map[string]string{
	"mlx5_core": "mlx5", "mlx5_ib": "mlx5", "mlx4_core": "mlx4", "mlx4_ib": "mlx4", "ib_mthca": "mthca",
	"bnxt_en": "bnxt_re", "bnxt_re": "bnxt_re", "iw_cxgb4": "cxgb4", "cxgb4": "cxgb4", "qede": "qedr",
	"qedr": "qedr", "ice": "irdma", "i40e": "irdma", "irdma": "irdma", "hns3": "hns", "hns_roce_hw_v2": "hns",
	"hfi1": "hfi1verbs", "ib_qib": "ipathverbs", "vmw_pvrdma": "vmw_pvrdma", "ionic": "ionic",
	"ionic_rdma": "ionic", "efa": "efa", "erdma": "erdma", "siw": "siw", "rdma_rxe": "rxe",
	"mana_ib": "mana", "ocrdma": "ocrdma",
}

// checkProviderDrivers looks for the libibverbs driver of each device: without it the
// library omits the device without an error.
func checkProviderDrivers(e *examination) []Finding {
	const dir = "/etc/libibverbs.d"
	if len(e.class) == 0 {
		return nil
	}
	files, err := e.os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		return []Finding{{Status: Warn, Looked: dir + ": missing or empty",
			Meaning: "libibverbs may have no driver for any device, unless it was built with another directory",
			Next:    "apt install ibverbs-providers (Debian, Ubuntu) or dnf install libibverbs (Fedora, RHEL)"}}
	}
	have := map[string]bool{}
	for _, f := range files {
		have[strings.TrimSuffix(f, ".driver")] = true
	}
	var found []Finding
	for _, name := range e.class {
		if f, ok := driverFileFinding(e.os, dir, name, have); ok {
			found = append(found, f)
		}
	}
	return found
}

func driverFileFinding(sys OS, dir, device string, have map[string]bool) (Finding, bool) {
	where, _ := busPlace(sys, deviceDir(device), device)
	want := driverFiles[where.driver]
	switch {
	case want == "":
		return Finding{}, false
	case have[want]:
		return Finding{Status: OK, Looked: fmt.Sprintf("%s/%s.driver: present, for %s", dir, want, device),
			Meaning: "libibverbs has a driver for the device"}, true
	}
	return Finding{Status: Fail, Looked: fmt.Sprintf("%s/%s.driver: missing, for %s", dir, want, device),
		Meaning: "libibverbs has no driver for the device, so its list omits the device",
		Next:    "apt install ibverbs-providers (Debian, Ubuntu) or dnf install libibverbs (Fedora, RHEL)"}, true
}

const (
	// memlockEnough is a limit, in bytes, that typical first programs do not reach.
	memlockEnough = 64 << 20
	// capIPCLock is the capability that exempts from the limit; capabilities(7).
	capIPCLock = 14
)

func checkMemlock(e *examination) []Finding {
	soft, hard, err := e.os.Memlock()
	if err != nil {
		return nil
	}
	looked := fmt.Sprintf("RLIMIT_MEMLOCK: %s, hard limit %s", bytesOf(soft), bytesOf(hard))
	switch {
	case soft == Unlimited:
		return []Finding{{Status: OK, Looked: looked, Meaning: "registered memory is not limited"}}
	case hasCapability(e.os, capIPCLock) && !inUserNamespace(e.os):
		return []Finding{{Status: OK, Looked: looked + "; CAP_IPC_LOCK",
			Meaning: "this process is exempt from the limit"}}
	case soft >= memlockEnough:
		return []Finding{{Status: OK, Looked: looked, Meaning: "reg_mr fails with ENOMEM beyond this limit"}}
	}
	next := "run 'ulimit -l unlimited' in this shell, then start rdmatui again"
	if hard < memlockEnough {
		next = "add \"* - memlock unlimited\" to /etc/security/limits.d/rdma.conf and log in again (systemd: LimitMEMLOCK=infinity; docker: --ulimit memlock=-1)"
	}
	meaning := "registered memory is locked memory: reg_mr, create_cq and create_qp fail with ENOMEM above the limit"
	if soft == 0 { // mm/mlock.c, can_do_mlock
		meaning = "this process may not lock memory at all: reg_mr fails with EPERM"
	}
	if inUserNamespace(e.os) && hasCapability(e.os, capIPCLock) {
		meaning += "; CAP_IPC_LOCK does not count in a user namespace"
	}
	return []Finding{{Status: Warn, Looked: looked, Meaning: meaning, Next: next}}
}

// inUserNamespace reports whether this process is in a user namespace of its own, where the kernel does not accept the
// process's capabilities for limits of the host: uid_map then is not the identity of user_namespaces(7).
func inUserNamespace(sys OS) bool {
	fields := strings.Fields(attribute(sys, "/proc/self/uid_map"))
	return len(fields) > 0 && !slices.Equal(fields, []string{"0", "0", "4294967295"})
}

func bytesOf(limit uint64) string {
	if limit == Unlimited {
		return "unlimited"
	}
	return format.Counted(limit, "byte")
}

// hasCapability reports whether this process has a capability in its effective set.
func hasCapability(sys OS, bit int) bool {
	b, err := sys.ReadFile("/proc/self/status", 16<<10)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		if hex, ok := strings.CutPrefix(line, "CapEff:"); ok {
			set, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
			return err == nil && set>>bit&1 == 1
		}
	}
	return false
}
