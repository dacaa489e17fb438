package devices

import (
	"errors"
	"fmt"
	"syscall"

	"rdmatui/verbs"
)

func checkPlatform(e *examination) []Finding {
	if e.linux() {
		return nil
	}
	return []Finding{{Status: Warn, Looked: "/sys/class, /proc/modules: neither exists",
		Meaning: "this system's kernel has no RDMA; software devices work here",
		Next:    "use a software device, such as soft0, or run rdmatui on Linux"}}
}

func checkProviders(e *examination) []Finding {
	var found []Finding
	for _, p := range e.providers {
		found = append(found, e.providerFinding(p))
	}
	if len(found) == 0 {
		found = append(found,
			Finding{Status: Fail, Looked: "providers: none", Meaning: "no provider is selected, so there is no device",
				Next: "leave out --provider, or give it ibverbs or soft"})
	}
	return found
}

func (e *examination) providerFinding(p ProviderStatus) Finding {
	switch {
	case errors.Is(p.Err, syscall.ENOSYS): // the library's own error, so it is installed
		return Finding{Status: Fail, Looked: fmt.Sprintf("provider %s: %v", p.Name, p.Err),
			Meaning: "the host's RDMA library is installed, but the kernel offers it no RDMA", Next: e.getUverbs()}
	case errors.Is(p.Err, verbs.ErrUnsupported):
		return Finding{Status: Fail, Looked: fmt.Sprintf("provider %s: %v", p.Name, p.Err),
			Meaning: "the host's RDMA library cannot be loaded, so its devices cannot be listed",
			Next:    "apt install libibverbs1 ibverbs-providers librdmacm1 (Debian, Ubuntu) or dnf install libibverbs librdmacm (Fedora, RHEL)"}
	case p.Err != nil:
		return Finding{Status: Fail, Looked: fmt.Sprintf("provider %s: %v", p.Name, p.Err),
			Meaning: "the provider cannot list its devices",
			Next:    "see the checks below; run ibv_devices to see whether other programs can"}
	case len(p.Devices) == 0:
		return Finding{Status: Warn, Looked: fmt.Sprintf("provider %s: no devices", p.Name),
			Meaning: "the library works but finds no device",
			Next:    "see the checks below"}
	}
	names := make([]string, len(p.Devices))
	for i, d := range p.Devices {
		names[i] = cutText(d.Name)
	}
	return Finding{
		Status: OK, Looked: fmt.Sprintf("provider %s: %s", p.Name, listed(names)),
		Meaning: "the provider lists its devices",
	}
}

// getUverbs says how to make the kernel's RDMA available to programs.
func (e *examination) getUverbs() string {
	f := moduleFinding(e.modules, "ib_uverbs", "", Fail)
	if f.Status == OK {
		return "ib_uverbs is loaded: make /sys/class/infiniband_verbs readable here (in a container: mount /sys)"
	}
	return f.Next
}
