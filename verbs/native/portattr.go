package native

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

func (d *device) portName(port uint8) string { return fmt.Sprintf("%s port %d", d.info.Name, port) }

// QueryPort implements verbs.Device. The exported function has an older ABI and
// fills fewer fields; like the header, QueryPort uses it only if the slot is
// missing.
func (d *device) QueryPort(port uint8) (verbs.PortAttr, error) {
	const op = "ibv_query_port"
	if err := d.use(); err != nil {
		return verbs.PortAttr{}, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	raw := new(abi.PortAttrEx)
	query, size := slot[dl.ErrnoFunc](d, abi.SlotQueryPort), unsafe.Sizeof(*raw)
	if !query.Bound() {
		query, size = d.lib.queryPort, 0 // has no size argument
	}
	if err := query.Call(d.ctx, uintptr(port), uintptr(unsafe.Pointer(raw)), size); err != nil {
		return verbs.PortAttr{}, failure.Of(op, d.portName(port), err)
	}
	return portAttr(port, raw), nil
}

// QueryPKey implements verbs.Device.
func (d *device) QueryPKey(port uint8, index int) (uint16, error) {
	const op = "ibv_query_pkey"
	if err := d.use(); err != nil {
		return 0, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	raw := new([2]byte) // in network order
	if _, err := d.lib.queryPKey.Call(d.ctx, uintptr(port), uintptr(index), uintptr(unsafe.Pointer(raw))); err != nil {
		return 0, failure.Of(op, fmt.Sprintf("%s index %d", d.portName(port), index), err)
	}
	return binary.BigEndian.Uint16(raw[:]), nil
}

func portAttr(port uint8, a *abi.PortAttrEx) verbs.PortAttr {
	return verbs.PortAttr{
		PortNum:       port,
		State:         verbs.PortState(a.State),
		MaxMTU:        verbs.MTU(a.MaxMTU),
		ActiveMTU:     verbs.MTU(a.ActiveMTU),
		GIDTblLen:     a.GIDTblLen,
		PortCapFlags:  verbs.PortCap(a.PortCapFlags),
		MaxMsgSz:      a.MaxMsgSz,
		BadPKeyCntr:   a.BadPKeyCntr,
		QKeyViolCntr:  a.QKeyViolCntr,
		PKeyTblLen:    a.PKeyTblLen,
		LID:           a.LID,
		SMLID:         a.SMLID,
		LMC:           a.LMC,
		MaxVLNum:      a.MaxVLNum,
		SMSL:          a.SMSL,
		SubnetTimeout: a.SubnetTimeout,
		InitTypeReply: a.InitTypeReply,
		ActiveWidth:   a.ActiveWidth,
		ActiveSpeed:   uint16(cmp.Or(a.ActiveSpeedEx, uint32(a.ActiveSpeed))),
		PhysState:     verbs.PhysState(a.PhysState),
		LinkLayer:     verbs.LinkLayer(a.LinkLayer),
		Flags:         a.Flags,
		PortCapFlags2: a.PortCapFlags2,
	}
}
