package devices

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// HostFacts is what the operating system knows of a device. A software device
// has none.
type HostFacts struct {
	NodeDesc string   `json:"node_desc,omitempty"` // set by the administrator
	Netdevs  []Netdev `json:"netdevs"`
	// CharDevices are the files through which programs reach the device.
	CharDevices []string `json:"char_devices"`
	PCI         string   `json:"pci,omitempty"` // domain:bus:device.function
	// NUMANode is the memory node that the device is near to; -1 where the
	// machine does not say, nil where the device is not on a bus.
	NUMANode *int   `json:"numa_node,omitempty"`
	Driver   string `json:"driver,omitempty"` // "mlx5_core", "rdma_rxe"
	// KernelModules are the modules that are loaded for it: the driver's, then
	// the ways into it.
	KernelModules []string `json:"kernel_modules"`
}

// joinHost adds what the operating system knows, and the netdevs of GIDs where
// the provider left them out.
func (d *Detail) joinHost(sys OS) {
	d.HostFacts = HostFacts{Netdevs: []Netdev{}, CharDevices: []string{}, KernelModules: []string{}}
	dir := deviceDir(d.Name)
	if dir == "" || !exists(sys, dir) {
		d.joinNetdevs(sys, "")
		return
	}
	for i := range d.Ports {
		fillGIDNetdevs(sys, dir, &d.Ports[i])
	}
	d.joinNetdevs(sys, dir)
	d.NodeDesc = attribute(sys, dir+"/node_desc")
	d.CharDevices = append(d.CharDevices, sortedText(sys.CharDevices(d.Name))...)
	d.joinBus(sys, dir)
	d.KernelModules = append(d.KernelModules, loadedFor(sys, dir, d.Driver)...)
}

var pciAddress = regexp.MustCompile(`^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// joinBus finds the device's place on the bus. The parent may be an auxiliary
// device below the PCI function, so the path is searched upwards.
func (d *Detail) joinBus(sys OS, dir string) {
	parent, err := sys.Resolve(dir + "/device")
	if err != nil {
		module, err := sys.DriverModule(d.Name)
		if err != nil {
			d.problem("driver", err)
		}
		d.Driver = cutText(module)
		return
	}
	d.Driver = linkBase(sys, parent+"/driver")
	for at := parent; at != "/"; at = path.Dir(at) {
		if pciAddress.MatchString(path.Base(at)) {
			d.PCI = path.Base(at)
			parent = at
			break
		}
	}
	if n, err := strconv.Atoi(attribute(sys, parent+"/numa_node")); err == nil {
		d.NUMANode = &n
	}
}

// waysIn are the modules through which programs reach any device: verbs,
// connection manager, management datagrams.
var waysIn = []string{"ib_core", "ib_uverbs", "rdma_cm", "rdma_ucm", "ib_umad"}

func loadedFor(sys OS, dir, driver string) []string {
	candidates := []string{linkBase(sys, dir+"/device/driver/module"), driver, verbsModules[driver]}
	var found []string
	seen := map[string]bool{"": true}
	for _, m := range append(candidates, waysIn...) {
		m = strings.ReplaceAll(m, "-", "_")
		if !seen[m] && plainName(m) && exists(sys, "/sys/module/"+m) {
			found = append(found, m)
		}
		seen[m] = true
	}
	return found
}
