package devices

import (
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"
)

// pciDir is where the kernel lists PCI functions.
const pciDir = "/sys/bus/pci/devices"

// gpuDrivers are the drivers of GPUs and accelerators whose memory an RDMA device can use.
var gpuDrivers = map[string]bool{"nvidia": true, "amdgpu": true, "habanalabs": true, "xe": true}

// checkGPUDirect says what keeps an RDMA device from reading and writing the memory of a GPU: no module or interface to
// register it, an IOMMU that translates, or bridges that redirect requests. Without a GPU or a card it says nothing.
func checkGPUDirect(e *examination) []Finding {
	gpus, cards := e.gpus(), e.cards()
	if len(gpus) == 0 || len(cards) == 0 {
		return nil
	}
	both := slices.Concat(cards, functionsOf(gpus))
	return []Finding{e.gpuMemory(gpus), translation(e.os, both), redirection(e.os, both)}
}

// function is a PCI function and its driver.
type function struct{ addr, driver string }

func functionsOf(all []function) (addrs []string) {
	for _, f := range all {
		addrs = append(addrs, f.addr)
	}
	return addrs
}

// gpus lists display controllers and accelerators, PCI classes 03 and 12, with a driver of gpuDrivers.
func (e *examination) gpus() (all []function) {
	addrs, _ := e.os.ReadDir(pciDir)
	for _, addr := range addrs {
		class := attribute(e.os, pciDir+"/"+addr+"/class")
		driver := linkBase(e.os, pciDir+"/"+addr+"/driver")
		if gpuDrivers[driver] && (strings.HasPrefix(class, "0x03") || strings.HasPrefix(class, "0x12")) {
			all = append(all, function{addr, driver})
		}
	}
	return all
}

// cards lists the PCI addresses of the RDMA devices.
func (e *examination) cards() (addrs []string) {
	for _, name := range e.class {
		if e.device != "" && name != e.device {
			continue
		}
		where, _ := busPlace(e.os, deviceDir(name), name)
		if where.pci != "" && !slices.Contains(addrs, where.pci) {
			addrs = append(addrs, where.pci)
		}
	}
	return addrs
}

// gpuMemory says how GPU memory can be registered: through nvidia_peermem, or as a dma-buf.
func (e *examination) gpuMemory(gpus []function) Finding {
	const needed = "5.12" // uverbs_std_types_mr.c: UVERBS_METHOD_REG_DMABUF_MR
	looked := []string{listed(functionsOf(gpus)) + ": driver " + gpus[0].driver}
	if e.modules.has("nvidia_peermem") || e.modules.has("nv_peer_mem") {
		return Finding{Status: OK, Looked: looked[0] + "; nvidia_peermem: loaded",
			Meaning: "GPU memory can be registered: reg_mr takes GPU addresses"}
	}
	release := attribute(e.os, "/proc/sys/kernel/osrelease")
	looked = append(looked, "kernel "+release)
	dmabuf := kernelAtLeast(release, 5, 12)
	nvidia := gpus[0].driver == "nvidia"
	if nvidia {
		version, _ := e.os.ReadFile("/proc/driver/nvidia/version", 4096)
		opened := strings.Contains(string(version), "Open Kernel Module")
		looked = append(looked, "nvidia_peermem: not loaded", "NVIDIA's open kernel modules: "+yesNo(opened))
		dmabuf = dmabuf && opened
	}
	f := Finding{Status: OK, Looked: strings.Join(looked, "; "),
		Meaning: "GPU memory can be registered as a dma-buf, by reg_dmabuf_mr"}
	if dmabuf {
		return f
	}
	f.Status = Warn
	f.Meaning = "GPU memory cannot be registered: GPUDirect is off, and data is copied through host memory"
	f.Next = "use a kernel of " + needed + " or later, for dma-buf"
	if have, _ := e.modules.available("nvidia_peermem"); nvidia && have == available {
		f.Next = e.modules.load("nvidia_peermem")
	} else if nvidia {
		f.Next = "install NVIDIA's open kernel modules on a kernel of " + needed + " or later, or nvidia_peermem"
	}
	return f
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// kernelAtLeast reports whether a release such as 6.1.0-50-amd64 is of that version or a later one.
func kernelAtLeast(release string, major, minor int) bool {
	var a, b int
	if n, _ := fmt.Sscanf(release, "%d.%d", &a, &b); n != 2 {
		return false
	}
	return a > major || a == major && b >= minor
}

// translation reports whether an IOMMU translates the addresses that one of the functions uses;
// Documentation/ABI/testing/sysfs-kernel-iommu_groups.
func translation(sys OS, addrs []string) Finding {
	var translated []string
	for _, addr := range addrs {
		if typ := attribute(sys, pciDir+"/"+addr+"/iommu_group/type"); strings.HasPrefix(typ, "DMA") {
			translated = append(translated, addr)
		}
	}
	if len(translated) == 0 {
		return Finding{Status: OK, Looked: "IOMMU groups of " + listed(addrs) + ": identity or none",
			Meaning: "no IOMMU translates between the card and the GPU"}
	}
	return Finding{Status: Warn, Looked: "IOMMU groups: " + listed(translated) + ": translated",
		Meaning: "requests between the card and the GPU go through the IOMMU: they are slow, or fail",
		Next:    "on bare metal boot with iommu=pt; in a virtual machine the host decides"}
}

// Access control services of a PCI Express bridge; PCI Express Base 6.0, 7.7.11.
const (
	configSize  = 4096
	extended    = 0x100 // where the list of extended capabilities begins; only root can read it
	acsID       = 0x000d
	acsControl  = 6
	acsRedirect = 1<<2 | 1<<3 // requests, completions
)

// redirection reports whether a bridge above one of the functions sends requests between devices to the root.
func redirection(sys OS, addrs []string) Finding {
	var redirecting, unreadable []string
	seen := map[string]bool{}
	for _, addr := range addrs {
		at, err := sys.Resolve(pciDir + "/" + addr)
		if err != nil {
			continue
		}
		for at = path.Dir(at); isPCIAddress(path.Base(at)); at = path.Dir(at) {
			if seen[at] {
				continue
			}
			seen[at] = true
			config, _ := sys.ReadFile(at+"/config", configSize)
			switch control, known := acsOf(config); {
			case !known:
				unreadable = append(unreadable, path.Base(at))
			case control&acsRedirect != 0:
				redirecting = append(redirecting, path.Base(at))
			}
		}
	}
	switch {
	case len(redirecting) > 0:
		return Finding{Status: Warn, Looked: "ACS of bridges: " + listed(redirecting) + ": redirect",
			Meaning: "requests between the card and the GPU take a detour through the root: they are slow",
			Next:    "on bare metal turn ACS off in the BIOS or on each bridge: setpci -s ADDR ECAP_ACS+6.w=0"}
	case len(unreadable) > 0:
		return Finding{Status: Warn, Looked: "ACS of bridges: " + listed(unreadable) + ": cannot be read",
			Meaning: "whether they redirect requests between the card and the GPU is unknown: only root can read it",
			Next:    "run rdmatui doctor as root"}
	}
	return Finding{Status: OK,
		Looked:  "ACS of bridges: " + counted(len(seen), "bridge", "bridges") + ", none redirects",
		Meaning: "requests can pass between the card and the GPU"}
}

// acsOf finds the ACS control register in a configuration space, 0 if the function has none; known is false if the
// extended capabilities were not read.
func acsOf(config []byte) (control uint16, known bool) {
	if len(config) < extended+4 {
		return 0, false
	}
	for at, n := extended, 0; at >= extended && at+acsControl+2 <= len(config) && n < configSize/8; n++ {
		header := binary.LittleEndian.Uint32(config[at:])
		if header&0xffff == acsID {
			return binary.LittleEndian.Uint16(config[at+acsControl:]), true
		}
		at = int(header >> 20)
	}
	return 0, true
}
