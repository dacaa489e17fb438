package devices

import (
	"errors"
	"io/fs"
	"strings"
)

// verbsModules maps the driver of a PCI function or auxiliary device to the module that
// registers it as an RDMA device. If the driver does that itself, both are the same.
var verbsModules = map[string]string{
	"mlx5_core": "mlx5_ib", "mlx4_core": "mlx4_ib", "ib_mthca": "ib_mthca",
	"bnxt_en": "bnxt_re", "cxgb4": "iw_cxgb4", "be2net": "ocrdma", "qede": "qedr",
	"ice": "irdma", "i40e": "irdma", "idpf": "irdma",
	"hns3": "hns_roce_hw_v2", "vmxnet3": "vmw_pvrdma", "mana": "mana_ib",
	"efa": "efa", "erdma": "erdma", "hfi1": "hfi1", "ib_qib": "ib_qib",
	"usnic_verbs": "usnic_verbs", "ionic": "ionic_rdma",
}

// driverModules maps the kernel's driver numbers to modules; enum
// rdma_driver_id of rdma/ib_user_ioctl_verbs.h.
var driverModules = map[uint32]string{
	1: "mlx5_ib", 2: "mlx4_ib", 3: "iw_cxgb3", 4: "iw_cxgb4", 5: "ib_mthca", 6: "bnxt_re", 7: "ocrdma",
	8: "iw_nes", 9: "irdma", 10: "vmw_pvrdma", 11: "qedr", 12: "hns_roce_hw_v2", 13: "usnic_verbs",
	14: "rdma_rxe", 15: "hfi1", 16: "ib_qib", 17: "efa", 18: "siw", 19: "erdma", 20: "mana_ib", 21: "ionic_rdma",
}

// modules reports which kernel modules are loaded, or can be.
type modules struct {
	sys    OS
	loaded map[string]bool // from /proc/modules
	fixed  bool            // the kernel cannot load modules: there is no /proc/modules
}

func readModules(sys OS) modules {
	m := modules{sys: sys, loaded: map[string]bool{}}
	b, err := sys.ReadFile("/proc/modules", 256<<10)
	m.fixed = errors.Is(err, fs.ErrNotExist)
	for line := range strings.Lines(string(b)) {
		if name, _, ok := strings.Cut(line, " "); ok {
			m.loaded[name] = true
		}
	}
	return m
}

// made maps a module to what it makes in /sys, where it shows also if it is built in.
var made = map[string]string{
	"ib_core":   classDir,
	"ib_uverbs": classDir + "_verbs",
	"ib_umad":   classDir + "_mad",
	"rdma_ucm":  "/sys/class/misc/rdma_cm",
}

// has reports whether a module is loaded or built in. A built-in module is in /sys/module only if it has parameters,
// and in the index of modules only if the kernel's package has one.
func (m modules) has(name string) bool {
	return m.loaded[name] || exists(m.sys, "/sys/module/"+name) || made[name] != "" && exists(m.sys, made[name]) ||
		m.indexed("modules.builtin", name)
}

// load says how to load a module that is not loaded: a command if this kernel has the module, else where to get it.
func (m modules) load(name string) string {
	if m.fixed {
		return "boot a kernel that has " + name + ": this one cannot load modules"
	}
	command := "modprobe " + strings.ReplaceAll(name, "-", "_")
	switch have, dir := m.available(name); {
	case have == notAvailable:
		return "install the distribution's full kernel modules (linux-modules-extra on Ubuntu, kernel-modules-extra on Fedora), " +
			"or use another kernel: " + dir + " does not contain " + name
	case have == available:
		return command
	case containerMarker(m.sys) != "":
		return "on the host: " + command
	default:
		return "install the modules of the running kernel: " + dir + " has none; then " + command +
			" (in a container: on the host)"
	}
}

// availability says whether a module can be loaded.
type availability int

const (
	availabilityUnknown availability = iota // there is no index of modules
	available
	notAvailable
)

// available looks up a module in the running kernel's index of modules. It also returns
// the directory of the index.
func (m modules) available(name string) (availability, string) {
	dir := m.dir()
	if !exists(m.sys, dir+"/modules.dep") {
		return availabilityUnknown, dir
	}
	if m.indexed("modules.dep", name) || m.indexed("modules.builtin", name) {
		return available, dir
	}
	return notAvailable, dir
}

// dir returns the directory of the running kernel's modules.
func (m modules) dir() string {
	if release := attribute(m.sys, "/proc/sys/kernel/osrelease"); plainName(release) {
		return "/lib/modules/" + release
	}
	return "/lib/modules"
}

// indexed reports whether an index of modules has a module.
func (m modules) indexed(index, name string) bool {
	text, _ := m.sys.ReadFile(m.dir()+"/"+index, 8<<20)
	return strings.Contains(string(text), "/"+name+".ko")
}
