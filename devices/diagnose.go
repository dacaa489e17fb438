package devices

import (
	"context"
	"strings"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// Status is the outcome of a check.
type Status string

// The statuses.
const (
	OK   Status = "ok"   // nothing to do
	Warn Status = "warn" // some uses fail
	Fail Status = "fail" // the host's devices cannot be used
)

// Finding is the outcome of one check.
type Finding struct {
	Check   string `json:"check"` // name of the check: "memlock"
	Status  Status `json:"status"`
	Looked  string `json:"looked_at"`      // what was looked at, and what was found
	Meaning string `json:"meaning"`        // what it means
	Next    string `json:"next,omitempty"` // what to do, in one line; "" if there is nothing to do
}

// check is one check of the diagnosis. It returns nothing if it does not apply.
type check struct {
	name string
	ask  func(*examination) []Finding
}

// checks are in order of dependency: each may rely on those before it.
var checks = []check{
	{"platform", checkPlatform},
	{"providers", checkProviders},
	{"rdma_class", checkClass},
	{"netns", checkNamespaces},
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
	{"mtu", checkMTU},
	{"gpudirect", checkGPUDirect},
}

// examination holds what several checks look at, read once.
type examination struct {
	inv       *Inventory
	os        OS
	device    string // the device to diagnose; "": all
	providers []ProviderStatus
	modules   modules
	class     []string // the kernel's RDMA devices
	classErr  error
	exclusive bool // each device is visible in one network namespace only
	modeKnown bool // the kernel has told so, or the contrary
}

// Diagnose finds out why there is no device, and what keeps existing devices from being
// used. With a device name it looks at that device only; "" means all. It stops between
// two checks when ctx ends.
func (inv *Inventory) Diagnose(ctx context.Context, device string) []Finding {
	e := &examination{inv: inv, os: inv.os, device: device, providers: inv.Providers(), modules: readModules(inv.os)}
	e.class, e.classErr = inv.os.ReadDir(classDir)
	var err error
	e.exclusive, err = inv.os.Exclusive() // a kernel that returns an error has no such mode
	e.modeKnown = err == nil
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

// Worst returns the worst status among findings; OK if there are none.
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

// Verdict summarizes findings in one line: what must be mended, else how many warnings there are.
func Verdict(findings []Finding) string {
	var failed []string
	warnings := 0
	for _, f := range findings {
		switch f.Status {
		case Fail:
			failed = append(failed, f.Meaning)
		case Warn:
			warnings++
		}
	}
	switch {
	case len(failed) > 0:
		return format.Counted(len(failed), "thing") + " to mend: " + strings.Join(failed, "; ")
	case warnings > 0:
		return format.Counted(warnings, "warning") + ", nothing to mend"
	}
	return "nothing wrong"
}

// linux reports whether this is a kernel that could have RDMA devices.
func (e *examination) linux() bool {
	return exists(e.os, "/sys/class") || exists(e.os, "/proc/modules")
}

// kernelDevices lists the devices to diagnose that both a provider and the kernel have.
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
