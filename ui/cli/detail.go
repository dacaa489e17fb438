package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rdmatui/devices"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// nameWidth is the width of the names; values begin after it.
const nameWidth = 28

// appendDetail writes everything about a device as text, one value per line, under
// the C field names.
func appendDetail(b []byte, d *devices.Detail) []byte {
	b = fmt.Appendf(b, "%s (%s)\n", line.Escape(d.Name), line.Escape(d.Provider))
	b = appendValue(b, 1, "node_type", d.NodeType)
	b = appendValue(b, 1, "transport", d.Transport)
	for i := range fields.Device {
		f := &fields.Device[i]
		b = appendField(b, 1, f.Name, f.Format(&d.DeviceAttr))
		if f.Name == "device_cap_flags" {
			b = appendNames(b, verbs.DeviceCaps.Set(verbs.DeviceCap(d.DeviceAttr.DeviceCapFlags)))
		}
	}
	if d.DeviceAttrEx != nil {
		b = appendEx(b, d.DeviceAttrEx)
	}
	b = appendHost(b, &d.HostFacts)
	usual := d.UsualPort()
	for i := range d.Ports {
		p := &d.Ports[i]
		b = fmt.Appendf(b, "  port %d\n", p.PortNum)
		if len(d.Ports) > 1 && p.PortNum == usual.PortNum {
			b = appendValue(b, 2, "default port", usual.Why)
		}
		b = appendPort(b, p)
	}
	for _, p := range d.Problems {
		b = appendValue(b, 1, p.What, "cannot be read: "+p.Err)
	}
	return b
}

// appendCounters lists a device's counters, grouped by port.
func appendCounters(b []byte, list []devices.Counter) []byte {
	for i := range list {
		c := &list[i]
		if i == 0 || c.PortNum != list[i-1].PortNum || c.Group != list[i-1].Group {
			where := "device"
			if c.PortNum > 0 {
				where = fmt.Sprintf("port %d", c.PortNum)
			}
			b = fmt.Appendf(b, "  %s %s\n", where, line.Escape(c.Group))
		}
		b = appendValue(b, 2, c.Name, fmt.Sprint(c.Value))
	}
	return b
}

// appendField writes a field of a C struct, also if it is empty: every field is shown.
func appendField(b []byte, depth int, name, value string) []byte {
	if value == "" {
		value = "–"
	}
	return appendValue(b, depth, name, value)
}

// appendValue writes a name and its value; nothing if the value is empty.
func appendValue(b []byte, depth int, name, value string) []byte {
	if value == "" {
		return b
	}
	return fmt.Appendf(b, "%*s%-*s %s\n", 2*depth, "", nameWidth, name, line.Escape(value))
}

func appendNames(b []byte, names []string) []byte {
	for _, n := range names {
		b = fmt.Appendf(b, "%*s%s\n", 2+nameWidth+1, "", n)
	}
	return b
}

func appendEx(b []byte, ex *verbs.DeviceAttrEx) []byte {
	for _, f := range fields.DeviceEx {
		b = appendField(b, 1, f.Name, f.Format(ex))
	}
	return b
}

func appendHost(b []byte, h *devices.HostFacts) []byte {
	b = appendValue(b, 1, "node_desc", h.NodeDesc)
	b = appendValue(b, 1, "driver", h.Driver)
	b = appendValue(b, 1, "kernel_modules", strings.Join(h.KernelModules, " "))
	b = appendValue(b, 1, "pci", h.PCI)
	if h.PCILink != nil {
		b = appendValue(b, 1, "pci_link", fmt.Sprintf("%s, %.0f Gbit/s", h.PCILink, h.PCILink.Gbits()))
	}
	if h.NUMANode != nil {
		b = appendValue(b, 1, "numa_node", fmt.Sprint(*h.NUMANode))
	}
	b = appendValue(b, 1, "char_devices", strings.Join(h.CharDevices, " "))
	for _, n := range h.Netdevs {
		addrs := make([]string, len(n.Addresses))
		for i, a := range n.Addresses {
			addrs[i] = a.String()
		}
		b = appendValue(b, 1, "netdev",
			fmt.Sprintf("%s mtu %d %s %s", n.Name, n.MTU, n.OperState, strings.Join(addrs, " ")))
	}
	return b
}

func appendPort(b []byte, p *devices.Port) []byte {
	for _, f := range fields.Port {
		if p.State != verbs.PortUnreadable || f.Name == "state" {
			b = appendField(b, 2, f.Name, f.Format(&p.PortAttr))
		}
	}
	for _, g := range p.GIDs {
		b = appendValue(b, 2, fmt.Sprintf("gid %d", g.Index),
			strings.TrimSpace(fmt.Sprintf("%s %s %s", g.GID, g.Type, g.Netdev)))
	}
	for i, k := range p.PKeys {
		if k != 0 {
			b = appendValue(b, 2, fmt.Sprintf("pkey %d", i), fmt.Sprintf("0x%04x", k))
		}
	}
	return b
}

// appendResources lists who uses a device, and the objects that the kernel describes one by one.
func appendResources(b []byte, r *devices.Resources) []byte {
	by := func(comm string, pid uint32) string {
		if pid == 0 {
			return cmp.Or(comm, "the kernel") + " (kernel)"
		}
		return fmt.Sprintf("%s (pid %d)", cmp.Or(comm, "?"), pid)
	}
	if len(r.Users) > 0 {
		b = append(b, "  used by\n"...)
	}
	for _, u := range r.Users {
		var counts []string
		for _, kind := range slices.Sorted(maps.Keys(u.Counts)) {
			counts = append(counts, fmt.Sprintf("%d %s", u.Counts[kind], kind))
		}
		b = appendValue(b, 2, by(u.Comm, u.PID), strings.Join(counts, ", "))
	}
	for _, q := range r.QPs {
		b = appendValue(b, 2, "qp "+q.QPNum.String(), fmt.Sprintf("%s %s, dest_qp_num %s, rq_psn %s, sq_psn %s, %s",
			q.Type, q.State, q.Dest, q.RQPSN, q.SQPSN, by(q.Comm, q.PID)))
	}
	for _, i := range r.CMIDs {
		b = appendValue(b, 2, "cm_id "+i.State, fmt.Sprintf("%s %s, qp %s, %s", i.PortSpace, i.Ends(), i.QPNum,
			by(i.Comm, i.PID)))
	}
	for _, m := range r.MRs {
		keys := ""
		if m.LKey != 0 || m.RKey != 0 {
			keys = fmt.Sprintf(", lkey 0x%08x, rkey 0x%08x", m.LKey, m.RKey)
		}
		b = appendValue(b, 2, fmt.Sprintf("mr %d", m.Number), fmt.Sprintf("%d bytes, pd %d%s, %s", m.Length, m.PD, keys,
			by(m.Comm, m.PID)))
	}
	return b
}
