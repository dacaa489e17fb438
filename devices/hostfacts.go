package devices

import (
	"path"
	"strconv"
	"strings"
)

// HostFacts holds what the operating system knows of a device; nothing for a software
// device.
type HostFacts struct {
	NodeDesc string   `json:"node_desc,omitempty"` // set by the administrator
	Netdevs  []Netdev `json:"netdevs"`
	// CharDevices are the files that programs open to use the device.
	CharDevices []string `json:"char_devices"`
	PCI         string   `json:"pci,omitempty"` // domain:bus:device.function
	// PCILink is nil if the device is not on PCI Express.
	PCILink *PCILink `json:"pci_link,omitempty"`
	// NUMANode is the memory node nearest to the device; -1 if the machine does not
	// report one, nil if the device is not on a bus.
	NUMANode *int   `json:"numa_node,omitempty"`
	Driver   string `json:"driver,omitempty"` // "mlx5_core", "rdma_rxe"
	// KernelModules are the loaded modules that serve the device: the driver's, then
	// those through which programs reach it.
	KernelModules []string `json:"kernel_modules"`
}

// hostAnswer holds what the host knows of a device by its name alone.
type hostAnswer struct {
	HostFacts
	dir      string // in sysfs; "" if the kernel does not have the device
	problems []Problem
}

// askHost collects the facts in a goroutine. The caller must receive the answer.
func (inv *Inventory) askHost(name string) <-chan hostAnswer {
	answer := make(chan hostAnswer, 1)
	go func() {
		defer close(answer)
		defer inv.Crashed.Catch()
		answer <- hostFacts(inv.os, name)
	}()
	return answer
}

func hostFacts(sys OS, name string) hostAnswer {
	a := hostAnswer{HostFacts: HostFacts{Netdevs: []Netdev{}, CharDevices: []string{}, KernelModules: []string{}}}
	dir := deviceDir(name)
	if dir == "" || !exists(sys, dir) {
		return a
	}
	a.dir = dir
	a.NodeDesc = attribute(sys, dir+"/node_desc")
	a.CharDevices = append(a.CharDevices, sortedText(sys.CharDevices(name))...)
	place, err := busPlace(sys, dir, name)
	if err != nil {
		a.problems = append(a.problems, Problem{"driver", cutText(err.Error())})
	}
	a.PCI, a.PCILink, a.NUMANode, a.Driver = place.pci, place.link, place.numa, place.driver
	a.KernelModules = append(a.KernelModules, loadedFor(sys, dir, place)...)
	return a
}

// place is a device's location on the bus, and its driver.
type place struct {
	pci, driver string
	module      string // serves the device according to the kernel, which may have it built in
	link        *PCILink
	numa        *int
}

// busPlace finds a device's location on the bus. The parent may be an auxiliary
// device below the PCI function, so the path is searched upwards.
func busPlace(sys OS, dir, name string) (place, error) {
	parent, err := sys.Resolve(dir + "/device")
	if err != nil {
		module, err := sys.DriverModule(name)
		return place{driver: cutText(module), module: module}, err
	}
	p := place{driver: linkBase(sys, parent+"/driver")}
	for at := parent; at != "/"; at = path.Dir(at) {
		if isPCIAddress(path.Base(at)) {
			p.pci, p.link = path.Base(at), pciLink(sys, at)
			parent = at
			break
		}
	}
	if n, err := strconv.Atoi(attribute(sys, parent+"/numa_node")); err == nil {
		p.numa = &n
	}
	return p, nil
}

// isPCIAddress reports whether s has the form domain:bus:device.function: 0000:05:00.0.
func isPCIAddress(s string) bool {
	const shape = "0000:00:00.0"
	if len(s) < len(shape) || len(s) > len(shape)+4 { // domains have 4 to 8 digits
		return false
	}
	s, domain := s[len(s)-len(shape):], s[:len(s)-len(shape)]
	for i, want := range shape {
		if want == '0' && !isHex(s[i]) || want != '0' && s[i] != byte(want) {
			return false
		}
	}
	return !strings.ContainsFunc(domain, func(r rune) bool { return r > 'f' || !isHex(byte(r)) })
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// accessModules are the modules through which programs reach any device: verbs,
// connection manager, management datagrams.
var accessModules = []string{"ib_core", "ib_uverbs", "rdma_cm", "rdma_ucm", "ib_umad"}

func loadedFor(sys OS, dir string, on place) []string {
	candidates := []string{linkBase(sys, dir+"/device/driver/module"), on.driver, verbsModules[on.driver]}
	mods := modules{sys: sys}
	var found []string
	seen := map[string]bool{"": true}
	for _, m := range append(candidates, accessModules...) {
		m = strings.ReplaceAll(m, "-", "_")
		if !seen[m] && plainName(m) && (m == on.module || mods.has(m)) {
			found = append(found, m)
		}
		seen[m] = true
	}
	return found
}

// LockedMemory returns how much memory this process may lock, RLIMIT_MEMLOCK, in KiB as
// ulimit -l prints it: "8192 KiB" or "unlimited"; "" if it is unknown. A region that
// exceeds it is refused with ENOMEM, at a limit of 0 with EPERM, unless the process has CAP_IPC_LOCK.
func LockedMemory() string {
	soft, _, err := Host().Memlock()
	if err != nil {
		return ""
	}
	return limitKiB(soft)
}

func limitKiB(limit uint64) string {
	if limit == Unlimited {
		return "unlimited"
	}
	return strconv.FormatUint(limit>>10, 10) + " KiB"
}
