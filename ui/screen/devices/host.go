package devices

import (
	"fmt"
	"strings"

	inv "rdmatui/devices"
	"rdmatui/verbs"
)

// hostRows lists what the operating system knows about a device.
func hostRows(d *inv.Detail) []row {
	rows := []row{
		valueRow("provider", d.Provider, providerMeanings[d.Provider]),
		valueRow("node_type", orDash(d.NodeType), "CA: channel adapter; RNIC: iWARP"),
		valueRow("transport", orDash(d.Transport), "the wire protocol"),
	}
	add := func(name, value, meaning string) {
		if value != "" {
			rows = append(rows, valueRow(name, value, meaning))
		}
	}
	add("node_desc", d.NodeDesc, "set by the administrator")
	add("driver", d.Driver, "kernel driver")
	for _, m := range d.KernelModules {
		add("module", m, "loaded in the kernel")
	}
	add("pci", d.PCI, "domain:bus:device.function")
	if l := d.PCILink; l != nil {
		add("pci_link", l.String(), fmt.Sprintf("%.0f Gbit/s in each direction", l.Gbits()))
	}
	if d.NUMANode != nil {
		add("numa_node", numaText(*d.NUMANode), "memory and CPUs near the device")
	}
	for _, f := range d.CharDevices {
		add("char_device", f, charMeaning(f))
	}
	for i := range d.Netdevs {
		rows = append(rows, netdevRows(&d.Netdevs[i])...)
	}
	return rows
}

// providerMeanings says where a provider's devices live.
var providerMeanings = map[string]string{
	verbs.HostProvider: "a device of this host, through libibverbs",
	verbs.SoftProvider: "inside this program: no driver, no hardware",
}

func numaText(n int) string {
	if n < 0 {
		return "unknown"
	}
	return fmt.Sprint(n)
}

// charMeanings explains device files by the start of their names.
var charMeanings = []struct{ prefix, meaning string }{
	{"uverbs", "libibverbs"},
	{"rdma_cm", "connection manager"},
	{"umad", "management datagrams"},
	{"issm", "subnet manager"},
	{"ucm", "the old connection manager"},
}

func charMeaning(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, c := range charMeanings {
		if strings.HasPrefix(name, c.prefix) {
			return "way in of: " + c.meaning
		}
	}
	return ""
}

func netdevRows(n *inv.Netdev) []row {
	rows := []row{headRow("netdev " + n.Name)}
	state := valueRow("operstate", orDash(n.OperState), "RFC 2863; must be up or unknown")
	if n.OperState == "down" {
		state.cells[1].tone = caution
	}
	rows = append(rows, state, valueRow("mtu", fmt.Sprint(n.MTU), "bytes of an IP packet, RoCE headers included"))
	if n.Address != "" {
		rows = append(rows, valueRow("address", n.Address, "of the link layer"))
	}
	for _, a := range prefixes(n.Addresses) {
		rows = append(rows, valueRow("ip", a, "each makes GIDs"))
	}
	return rows
}
