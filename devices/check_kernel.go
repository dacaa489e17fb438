package devices

import (
	"fmt"
	"slices"
)

func checkClass(e *examination) []Finding {
	switch {
	case !e.linux():
		return nil
	case e.classErr == nil && len(e.class) > 0:
		return []Finding{{Status: OK, Looked: classDir + ": " + listed(e.class),
			Meaning: "the kernel has RDMA devices"}}
	case e.classErr == nil && e.exclusive:
		return []Finding{{Status: Fail, Looked: classDir + ": empty; rdma system: netns exclusive",
			Meaning: "a device is visible only in its own network namespace, and this one has none",
			Next: "move the device here: rdma dev set DEVICE netns NAME; for rxe, first move its interface and run rdma link add here; " +
				"before Linux 7, run rdmatui in rxe's namespace instead"}}
	case e.classErr == nil:
		return []Finding{{Status: Fail, Looked: classDir + ": empty",
			Meaning: "the kernel's RDMA core is loaded, but no driver has created a device in this network namespace",
			Next:    "load the card's driver, or create a Soft-RoCE link: see soft_roce"}}
	}
	if marker := containerMarker(e.os); marker != "" {
		return []Finding{{Status: Fail, Looked: classDir + ": missing; " + marker + ": present",
			Meaning: "this container has no access to the host's RDMA devices, or the host has none",
			Next:    "on a host with a device, start the container with --device=/dev/infiniband --cap-add=IPC_LOCK --network=host"}}
	}
	if e.modules.has("ib_core") {
		return []Finding{{Status: Fail, Looked: classDir + ": missing",
			Meaning: "the kernel's RDMA core (ib_core) is loaded, but its devices are not visible here",
			Next:    "make " + classDir + " readable here: mount /sys"}}
	}
	next := e.modules.load("ib_uverbs")
	if !e.modules.fixed {
		next += "; then load the card's driver, or see soft_roce"
	}
	return []Finding{{Status: Fail, Looked: classDir + ": missing",
		Meaning: "the kernel's RDMA core (ib_core) is not loaded", Next: next}}
}

// containerMarkers are files that container managers create.
var containerMarkers = []string{"/.dockerenv", "/run/.containerenv", "/run/systemd/container"}

func containerMarker(sys OS) string {
	for _, m := range containerMarkers {
		if exists(sys, m) {
			return m
		}
	}
	return ""
}

// neededModules are the kernel modules that programs need to use RDMA.
var neededModules = []struct {
	name, without string
	missing       Status
}{
	{"ib_uverbs", "no program can use any device", Fail},
	{"rdma_ucm", "verbs work, but rdma_cm connections do not", Warn},
	{"rdma_rxe", "no Soft-RoCE link can be created", Warn},
}

func checkModules(e *examination) []Finding {
	if !e.linux() {
		return nil
	}
	var found []Finding
	for _, m := range neededModules {
		// Soft-RoCE matters only if there is no device.
		if m.name == "rdma_rxe" && len(e.class) > 0 && !e.modules.has(m.name) {
			continue
		}
		found = append(found, moduleFinding(e.modules, m.name, m.without, m.missing))
	}
	return found
}

func moduleFinding(mods modules, name, without string, missing Status) Finding {
	if mods.has(name) {
		return Finding{Status: OK, Looked: "/sys/module/" + name + ": loaded", Meaning: "the module is loaded"}
	}
	f := Finding{
		Status: missing, Looked: "/proc/modules, /sys/module/" + name + ": not loaded",
		Meaning: "without it " + without, Next: mods.load(name),
	}
	if mods.fixed {
		f.Looked = "/proc/modules: missing; /sys/module/" + name + ": missing"
		return f
	}
	switch have, dir := mods.available(name); have {
	case notAvailable:
		f.Looked += "; " + dir + ": does not contain it"
		f.Meaning += "; this kernel was built or packaged without it"
	case availabilityUnknown:
		f.Looked += "; " + dir + ": no index"
	}
	return f
}

// checkVendorModules looks for cards whose network driver is bound but whose RDMA
// module is not loaded.
func checkVendorModules(e *examination) []Finding {
	addrs, _ := e.os.ReadDir(pciDir)
	cards := map[string][]string{} // by driver
	for _, addr := range addrs {
		if driver := linkBase(e.os, pciDir+"/"+addr+"/driver"); verbsModules[driver] != "" {
			cards[driver] = append(cards[driver], addr)
		}
	}
	drivers := make([]string, 0, len(cards))
	for driver := range cards {
		drivers = append(drivers, driver)
	}
	slices.Sort(drivers)
	var found []Finding
	for _, driver := range drivers {
		module := verbsModules[driver]
		looked := fmt.Sprintf("%s: driver %s", listed(cards[driver]), driver)
		if e.modules.has(module) {
			found = append(found, Finding{
				Status: OK, Looked: looked + ", module " + module + " loaded",
				Meaning: "the card's RDMA driver is loaded",
			})
			continue
		}
		found = append(found, Finding{Status: Warn, Looked: looked + ", module " + module + " not loaded",
			Meaning: "the card may support RDMA, but its RDMA driver is not loaded",
			Next:    e.modules.load(module)})
	}
	return found
}
