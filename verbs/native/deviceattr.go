package native

import (
	"errors"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// QueryDevice implements verbs.Device.
func (d *device) QueryDevice() (verbs.DeviceAttr, error) {
	if err := d.use(); err != nil {
		return verbs.DeviceAttr{}, failure.Of("ibv_query_device", d.info.Name, err)
	}
	defer d.done()
	raw := new(abi.DeviceAttr)
	if err := d.lib.queryDevice.Call(d.ctx, uintptr(unsafe.Pointer(raw))); err != nil {
		return verbs.DeviceAttr{}, failure.Of("ibv_query_device", d.info.Name, err)
	}
	return deviceAttr(raw), nil
}

// QueryDeviceEx implements verbs.Device. The header's inline function falls
// back to the basic attributes, which would look like real values of zero.
func (d *device) QueryDeviceEx() (verbs.DeviceAttrEx, error) {
	const op = "ibv_query_device_ex"
	if err := d.use(); err != nil {
		return verbs.DeviceAttrEx{}, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	raw, in := new(abi.DeviceAttrEx), new(abi.QueryDeviceExInput)
	query := slot[dl.ErrnoFunc](d, abi.SlotQueryDeviceEx)
	err := query.Call(d.ctx, uintptr(unsafe.Pointer(in)), uintptr(unsafe.Pointer(raw)), unsafe.Sizeof(*raw))
	if err != nil {
		return verbs.DeviceAttrEx{}, failure.Of(op, d.info.Name, err)
	}
	return deviceAttrEx(raw), nil
}

// portCount returns the number of ports; the basic attribute holds at most 255.
func (d *device) portCount() (int, error) {
	ex, err := d.QueryDeviceEx()
	if err == nil && ex.PhysPortCntEx != 0 {
		return int(ex.PhysPortCntEx), nil
	}
	if err != nil && !errors.Is(err, verbs.ErrUnsupported) {
		return 0, err
	}
	attr, err := d.QueryDevice()
	return int(attr.PhysPortCnt), err
}

func deviceAttr(a *abi.DeviceAttr) verbs.DeviceAttr {
	return verbs.DeviceAttr{
		FWVer:                 abi.CString(a.FWVer[:]),
		NodeGUID:              verbs.GUID(a.NodeGUID),
		SysImageGUID:          verbs.GUID(a.SysImageGUID),
		MaxMRSize:             a.MaxMRSize,
		PageSizeCap:           a.PageSizeCap,
		VendorID:              a.VendorID,
		VendorPartID:          a.VendorPartID,
		HWVer:                 a.HWVer,
		MaxQP:                 a.MaxQP,
		MaxQPWR:               a.MaxQPWR,
		DeviceCapFlags:        a.DeviceCapFlags,
		MaxSGE:                a.MaxSGE,
		MaxSGERD:              a.MaxSGERd,
		MaxCQ:                 a.MaxCQ,
		MaxCQE:                a.MaxCQE,
		MaxMR:                 a.MaxMR,
		MaxPD:                 a.MaxPD,
		MaxQPRDAtom:           a.MaxQPRdAtom,
		MaxEERDAtom:           a.MaxEERdAtom,
		MaxResRDAtom:          a.MaxResRdAtom,
		MaxQPInitRDAtom:       a.MaxQPInitRdAtom,
		MaxEEInitRDAtom:       a.MaxEEInitRdAtom,
		AtomicCap:             verbs.AtomicCap(a.AtomicCap),
		MaxEE:                 a.MaxEE,
		MaxRDD:                a.MaxRDD,
		MaxMW:                 a.MaxMW,
		MaxRawIPv6QP:          a.MaxRawIPv6QP,
		MaxRawEthyQP:          a.MaxRawEthyQP,
		MaxMcastGrp:           a.MaxMcastGrp,
		MaxMcastQPAttach:      a.MaxMcastQPAttach,
		MaxTotalMcastQPAttach: a.MaxTotalMcastQPAttach,
		MaxAH:                 a.MaxAH,
		MaxFMR:                a.MaxFMR,
		MaxMapPerFMR:          a.MaxMapPerFMR,
		MaxSRQ:                a.MaxSRQ,
		MaxSRQWR:              a.MaxSRQWR,
		MaxSRQSGE:             a.MaxSRQSGE,
		MaxPKeys:              a.MaxPKeys,
		LocalCAAckDelay:       a.LocalCAAckDelay,
		PhysPortCnt:           a.PhysPortCnt,
	}
}

func deviceAttrEx(a *abi.DeviceAttrEx) verbs.DeviceAttrEx {
	return verbs.DeviceAttrEx{
		ODPCaps: verbs.ODPCaps{
			GeneralCaps: a.ODPCaps.GeneralCaps,
			RCODPCaps:   a.ODPCaps.RCODPCaps,
			UCODPCaps:   a.ODPCaps.UCODPCaps,
			UDODPCaps:   a.ODPCaps.UDODPCaps,
		},
		CompletionTimestampMask: a.CompletionTimestampMask,
		HCACoreClock:            a.HCACoreClock,
		DeviceCapFlagsEx:        verbs.DeviceCap(a.DeviceCapFlagsEx),
		TSOCaps:                 verbs.TSOCaps(a.TSOCaps),
		RSSCaps: verbs.RSSCaps{
			SupportedQPTs:              a.RSSCaps.SupportedQPTs,
			MaxRWQIndirectionTables:    a.RSSCaps.MaxRWQIndirectionTables,
			MaxRWQIndirectionTableSize: a.RSSCaps.MaxRWQIndirectionTableSize,
			RXHashFieldsMask:           a.RSSCaps.RxHashFieldsMask,
			RXHashFunction:             a.RSSCaps.RxHashFunction,
		},
		MaxWQTypeRQ:      a.MaxWQTypeRQ,
		PacketPacingCaps: verbs.PacketPacingCaps(a.PacketPacingCaps),
		RawPacketCaps:    a.RawPacketCaps,
		TMCaps:           verbs.TMCaps(a.TMCaps),
		CQModCaps:        verbs.CQModCaps(a.CQModCaps),
		MaxDMSize:        a.MaxDMSize,
		PCIAtomicCaps:    verbs.PCIAtomicCaps(a.PCIAtomicCaps),
		XRCODPCaps:       a.XRCODPCaps,
		PhysPortCntEx:    a.PhysPortCntEx,
	}
}

var _ verbs.RTValuesQuerier = (*device)(nil)

// QueryRTValuesEx implements verbs.RTValuesQuerier.
func (d *device) QueryRTValuesEx() (values verbs.RTValues, err error) {
	const op = "ibv_query_rt_values_ex"
	if err := d.use(); err != nil {
		return values, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	raw := &abi.ValuesEx{CompMask: abi.ValuesMaskRawClock}
	err = slot[dl.ErrnoFunc](d, abi.SlotQueryRtValues).Call(d.ctx, uintptr(unsafe.Pointer(raw)))
	if errors.Is(err, dl.ErrUnbound) || err == nil && raw.CompMask&abi.ValuesMaskRawClock == 0 {
		err = syscall.EOPNOTSUPP // like the header's inline function
	}
	if err != nil {
		return values, failure.Of(op, d.info.Name, failure.OfPost(err))
	}
	values.RawClock.Sec, values.RawClock.NSec = raw.RawClock[0], raw.RawClock[1]
	return values, nil
}
