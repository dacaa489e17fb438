package soft

import (
	"math"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/soft/transport"
)

const pageSizes = 0xfffff000 // 4 KiB and more

const atomicHCA verbs.AtomicCap = 1 // among the queue pairs of the device

func (a *adapter) deviceAttr() verbs.DeviceAttr {
	return verbs.DeviceAttr{
		NodeGUID:              a.guid,
		SysImageGUID:          a.image,
		MaxMRSize:             mem.MaxRegionSize,
		PageSizeCap:           pageSizes,
		MaxQP:                 transport.MaxQP,
		MaxQPWR:               transport.MaxQPWR,
		DeviceCapFlags:        uint32(capFlags),
		MaxSGE:                transport.MaxSGE,
		MaxSGERD:              transport.MaxSGE,
		MaxCQ:                 transport.MaxCQ,
		MaxCQE:                transport.MaxCQE,
		MaxMR:                 mem.MaxRegions,
		MaxMW:                 mem.MaxWindows,
		MaxPD:                 transport.MaxPD,
		MaxQPRDAtom:           object.MaxRDAtomic,
		MaxResRDAtom:          object.MaxRDAtomic * transport.MaxQP,
		MaxQPInitRDAtom:       object.MaxRDAtomic,
		AtomicCap:             atomicHCA,
		MaxMcastGrp:           transport.MaxMcast,
		MaxMcastQPAttach:      transport.MaxMcastQP,
		MaxTotalMcastQPAttach: transport.MaxMcastAll,
		MaxAH:                 transport.MaxAH,
		MaxSRQ:                transport.MaxSRQ,
		MaxSRQWR:              transport.MaxSRQWR,
		MaxSRQSGE:             transport.MaxSRQSGE,
		MaxPKeys:              1,
		LocalCAAckDelay:       object.AckDelay,
		PhysPortCnt:           1,
	}
}

// odpCaps lists the operations that support on-demand paging: all of them, because the engine accesses memory with the
// CPU, and the kernel pages it in. Implicit regions over the whole address space are not supported: a peer with the
// rkey could read all memory of the process.
var odpCaps = verbs.ODPCaps{
	GeneralCaps: verbs.ODPSupport,
	RCODPCaps: verbs.ODPSend | verbs.ODPRecv | verbs.ODPWrite | verbs.ODPRead | verbs.ODPAtomic |
		verbs.ODPSRQRecv | verbs.ODPFlush |
		verbs.ODPAtomicWrite,
	UCODPCaps: verbs.ODPSend | verbs.ODPRecv | verbs.ODPWrite | verbs.ODPSRQRecv,
	UDODPCaps: verbs.ODPSend | verbs.ODPRecv | verbs.ODPSRQRecv,
}

// deviceAttrEx returns the extended attributes. The device has no persistent memory.
func (a *adapter) deviceAttrEx() verbs.DeviceAttrEx {
	attr := a.deviceAttr()
	return verbs.DeviceAttrEx{
		ODPCaps:                 odpCaps,
		MaxDMSize:               mem.MaxDeviceMemory,
		CompletionTimestampMask: math.MaxUint64, HCACoreClock: transport.CoreClock,
		CQModCaps: verbs.CQModCaps{
			MaxCQCount: transport.MaxModeratedCount, MaxCQPeriod: transport.MaxModeratedPeriod,
		},
		PhysPortCntEx: uint32(attr.PhysPortCnt), DeviceCapFlagsEx: verbs.DeviceCap(attr.DeviceCapFlags) |
			verbs.CapFlushGlobal | verbs.CapAtomicWrite,
	}
}

// capFlags are the capabilities that device_cap_flags has room for.
const capFlags = verbs.CapCurrQPStateMod | verbs.CapSysImageGUID | verbs.CapRNRNAKGen | verbs.CapSRQResize |
	verbs.CapMemWindow | verbs.CapMemWindowType2B

// capIPBasedGIDs is the bit of port_cap_flags that says GIDs are IP addresses.
const capIPBasedGIDs verbs.PortCap = 1 << 26

const physLinkUp verbs.PhysState = 5

func (a *adapter) portAttr() verbs.PortAttr {
	var width uint8
	var speed uint16
	if a.speed != nil {
		width, speed = rateCodes(a.speed())
	}
	return verbs.PortAttr{
		PortNum:      1,
		State:        verbs.PortActive,
		MaxMTU:       transport.MaxMTU,
		ActiveMTU:    a.mtu,
		GIDTblLen:    int32(len(a.gids)),
		PortCapFlags: capIPBasedGIDs,
		MaxMsgSz:     transport.MaxMsg,
		PKeyTblLen:   1,
		MaxVLNum:     1,
		ActiveWidth:  width,
		ActiveSpeed:  speed,
		PhysState:    physLinkUp,
		LinkLayer:    verbs.LinkEthernet,
		Flags:        verbs.PortGRHRequired,
	}
}
