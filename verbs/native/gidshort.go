package native

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"rdmatui/verbs"
)

// gidByShortQuery reads a row with what libibverbs offered before rdma-core 32:
// the GID from the library, type and netdev from sysfs.
func (d *device) gidByShortQuery(port uint8, index int) (verbs.GIDEntry, error) {
	const op = "ibv_query_gid"
	attr, err := d.QueryPort(port)
	if err != nil {
		return verbs.GIDEntry{}, err
	}
	if err := d.use(); err != nil {
		return verbs.GIDEntry{}, fail(op, d.info.Name, err)
	}
	defer d.done()
	e := verbs.GIDEntry{PortNum: port, Index: index}
	raw := new([2]uint64) // aligned as union ibv_gid is
	if _, err := d.lib.queryGID.Call(d.ctx, uintptr(port), uintptr(index), uintptr(unsafe.Pointer(raw))); err != nil {
		return verbs.GIDEntry{}, fail(op, fmt.Sprintf("%s index %d", d.portName(port), index), err)
	}
	e.GID = *(*verbs.GID)(unsafe.Pointer(raw))
	if !e.GID.IsZero() {
		attrs := filepath.Join(d.info.IBDevPath, "ports", strconv.Itoa(int(port)), "gid_attrs")
		e.Type = sysfsGIDType(readLine(filepath.Join(attrs, "types", strconv.Itoa(index))), attr.LinkLayer)
		e.Netdev = readLine(filepath.Join(attrs, "ndevs", strconv.Itoa(index)))
	}
	return e, nil
}

// sysfsGIDType reads the kernel's word, which is the same for InfiniBand and for
// RoCE v1: only the link layer tells them apart.
func sysfsGIDType(word string, link verbs.LinkLayer) verbs.GIDType {
	switch {
	case word == "RoCE v2":
		return verbs.GIDTypeRoCEv2
	case link == verbs.LinkEthernet:
		return verbs.GIDTypeRoCEv1
	default:
		return verbs.GIDTypeIB
	}
}

// readLine returns the first line of a file in sysfs, "" where there is none: a
// row without netdev has none.
func readLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}
