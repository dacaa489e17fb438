package devices

import (
	"context"

	"rdmatui/verbs"
)

// Status is how a check came out.
type Status string

// The statuses. Warn is what stands in the way of some uses only.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Finding is the outcome of one check.
type Finding struct {
	Check   string `json:"check"` // which one: "memlock"
	Status  Status `json:"status"`
	Looked  string `json:"looked_at"`      // what was looked at, and what it said
	Meaning string `json:"meaning"`        // what that means
	Next    string `json:"next,omitempty"` // what to do next, in one line; "" where nothing is to be done
}

// check is one question of the diagnosis. One that does not apply returns nothing.
type check struct {
	name string
	ask  func(*examination) []Finding
}

// checks stand in the order in which one depends on another.
var checks = []check{
	{"platform", checkPlatform},
	{"providers", checkProviders},
	{"rdma_class", checkClass},
	{"modules", checkModules},
	{"vendor_modules", checkVendorModules},
	{"char_devices", checkCharDevices},
	{"rdma_cm", checkConnectionManager},
	{"provider_drivers", checkProviderDrivers},
	{"memlock", checkMemlock},
	{"memory", checkMemory},
	{"soft_roce", checkSoftRoCE},
	{"notes", checkNotes},
	{"udp_4791", checkRoCEPort},
	{"ports", checkPorts},
	{"gids", checkGIDs},
}

// examination is what several checks look at, read once.
type examination struct {
	inv       *Inventory
	os        OS
	device    string // the one that is asked for; "": all
	providers []ProviderStatus
	modules   modules
	class     []string // the kernel's RDMA devices
	classErr  error
	exclusive bool // each of them is seen in one network namespace only
}

// Diagnose answers "why is there no device", and what may hinder the use of
// those that are there; of devices only the named one is looked at, unless that
// is "". It stops between two checks when ctx ends.
func (inv *Inventory) Diagnose(ctx context.Context, device string) []Finding {
	e := &examination{inv: inv, os: inv.os, device: device, providers: inv.Providers(), modules: readModules(inv.os)}
	e.class, e.classErr = inv.os.ReadDir(classDir)
	e.exclusive, _ = inv.os.Exclusive() // a kernel that cannot tell has no such mode
	var found []Finding
	for _, c := range checks {
		if ctx.Err() != nil {
			break
		}
		for _, f := range c.ask(e) {
			f.Check = c.name
			found = append(found, f)
		}
	}
	return found
}

// Worst returns the worst status among findings; OK of none.
func Worst(findings []Finding) Status {
	worst := OK
	for _, f := range findings {
		switch {
		case f.Status == Fail:
			return Fail
		case f.Status == Warn:
			worst = Warn
		}
	}
	return worst
}

// linux reports whether this is a kernel that could have RDMA devices.
func (e *examination) linux() bool {
	return exists(e.os, "/sys/class") || exists(e.os, "/proc/modules")
}

// kernelDevices lists those of the devices asked for that a provider and the kernel have.
func (e *examination) kernelDevices() []verbs.DeviceInfo {
	inClass := map[string]bool{}
	for _, name := range e.class {
		inClass[name] = true
	}
	var infos []verbs.DeviceInfo
	for _, p := range e.providers {
		for _, info := range p.Devices {
			if inClass[info.Name] && (e.device == "" || info.Name == e.device) {
				infos = append(infos, info)
			}
		}
	}
	return infos
}
