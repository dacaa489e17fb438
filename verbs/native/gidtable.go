package native

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/failure"
)

// maxGIDs limits the memory allocated for the table lengths that a driver reports; real
// tables have at most a few thousand rows.
const maxGIDs = 1 << 18

// QueryGIDTable implements verbs.Device.
func (d *device) QueryGIDTable() ([]verbs.GIDEntry, error) {
	const op = "ibv_query_gid_table"
	lengths, err := d.gidTableLengths()
	if err != nil {
		return nil, err
	}
	if !d.lib.queryGIDTable.Bound() {
		return d.gidTableByRows(lengths)
	}
	total := 0
	for _, n := range lengths {
		if n == unread {
			n = spareRows
		}
		total += n
	}
	if total == 0 {
		return nil, nil
	}
	if err := d.use(); err != nil {
		return nil, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	raw := make([]abi.GIDEntry, total)
	n, err := d.lib.queryGIDTable.Call(d.ctx, uintptr(unsafe.Pointer(&raw[0])), uintptr(total), 0,
		unsafe.Sizeof(raw[0]))
	if err != nil {
		return nil, failure.Of(op, d.info.Name, err)
	}
	names := netdevNames{}
	entries := make([]verbs.GIDEntry, min(n, total))
	for i := range entries {
		entries[i] = gidEntry(&raw[i], names)
	}
	return entries, nil
}

const (
	// unread is the number of rows of a port that cannot be queried.
	unread = -1
	// spareRows is the room for such rows when the library reads all ports' rows at once.
	spareRows = 1024
)

// gidTableLengths returns the number of rows of each port's table, port 1 first.
func (d *device) gidTableLengths() ([]int, error) {
	ports, err := d.portCount()
	if err != nil {
		return nil, err
	}
	var lengths []int
	room := maxGIDs
	for port := range min(ports, 255) {
		attr, err := d.QueryPort(uint8(port + 1))
		if err != nil {
			lengths = append(lengths, unread)
			continue
		}
		n := min(max(int(attr.GIDTblLen), 0), room)
		room -= n
		lengths = append(lengths, n)
	}
	return lengths, nil
}

// gidTableByRows reads row by row, for libraries that cannot read the table at once.
func (d *device) gidTableByRows(lengths []int) ([]verbs.GIDEntry, error) {
	var entries []verbs.GIDEntry
	for port, rows := range lengths {
		for index := range max(rows, 0) {
			e, err := d.QueryGID(uint8(port+1), index)
			if err != nil {
				return nil, err
			}
			if !e.GID.IsZero() {
				entries = append(entries, e)
			}
		}
	}
	return entries, nil
}

// QueryGID implements verbs.Device. An unused row has a zero GID.
func (d *device) QueryGID(port uint8, index int) (verbs.GIDEntry, error) {
	const op = "ibv_query_gid_ex"
	if !d.lib.queryGIDEx.Bound() {
		return d.gidByShortQuery(port, index)
	}
	if err := d.use(); err != nil {
		return verbs.GIDEntry{}, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	raw := new(abi.GIDEntry)
	err := d.lib.queryGIDEx.Call(d.ctx, uintptr(port), uintptr(uint32(index)), uintptr(unsafe.Pointer(raw)),
		0, unsafe.Sizeof(*raw))
	switch {
	case errors.Is(err, syscall.ENODATA):
		return verbs.GIDEntry{PortNum: port, Index: index}, nil
	case err != nil:
		return verbs.GIDEntry{}, failure.Of(op, fmt.Sprintf("%s index %d", d.portName(port), index), err)
	}
	return gidEntry(raw, netdevNames{}), nil
}

func gidEntry(e *abi.GIDEntry, names netdevNames) verbs.GIDEntry {
	return verbs.GIDEntry{
		PortNum: uint8(e.PortNum),
		Index:   int(e.GIDIndex),
		GID:     verbs.GID(e.GID.Raw),
		Type:    verbs.GIDType(e.GIDType),
		Netdev:  names.of(e.NdevIfindex),
	}
}

// netdevNames caches interface names by index.
type netdevNames map[uint32]string

// of returns the interface's name, "" if there is none or if it is not in this network
// namespace.
func (n netdevNames) of(ifindex uint32) string {
	if ifindex == 0 {
		return ""
	}
	name, ok := n[ifindex]
	if !ok {
		if i, err := net.InterfaceByIndex(int(ifindex)); err == nil {
			name = i.Name
		}
		n[ifindex] = name
	}
	return name
}

// gidByShortQuery reads a row with the functions of libibverbs before rdma-core 32: the
// GID from the library, type and netdev from sysfs.
func (d *device) gidByShortQuery(port uint8, index int) (verbs.GIDEntry, error) {
	const op = "ibv_query_gid"
	attr, err := d.QueryPort(port)
	if err != nil {
		return verbs.GIDEntry{}, err
	}
	if err := d.use(); err != nil {
		return verbs.GIDEntry{}, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	e := verbs.GIDEntry{PortNum: port, Index: index}
	raw := new([2]uint64) // aligned as union ibv_gid is
	if _, err := d.lib.queryGID.Call(d.ctx, uintptr(port), uintptr(index), uintptr(unsafe.Pointer(raw))); err != nil {
		return verbs.GIDEntry{}, failure.Of(op, fmt.Sprintf("%s index %d", d.portName(port), index), err)
	}
	e.GID = *(*verbs.GID)(unsafe.Pointer(raw))
	if !e.GID.IsZero() {
		attrs := filepath.Join(d.info.IBDevPath, "ports", strconv.Itoa(int(port)), "gid_attrs")
		e.Type = sysfsGIDType(readLine(filepath.Join(attrs, "types", strconv.Itoa(index))), attr.LinkLayer)
		e.Netdev = readLine(filepath.Join(attrs, "ndevs", strconv.Itoa(index)))
	}
	return e, nil
}

// sysfsGIDType decodes the kernel's GID type, which is the same for InfiniBand and RoCE
// v1: only the link layer distinguishes them.
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

// readLine returns the first line of a file in sysfs, "" if there is none: a row may
// have no netdev.
func readLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}
