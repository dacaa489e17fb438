package mad

import (
	"fmt"

	"rdmatui/verbs/wire"
)

// named is a value with its name.
type named[T uint8 | uint16] struct {
	value T
	name  string
}

// name returns the name of a value, or its digits.
func name[T uint8 | uint16](all []named[T], v T, digits int) string {
	for _, n := range all {
		if n.value == v {
			return n.name
		}
	}
	return fmt.Sprintf("0x%0*x", digits, v)
}

// Classes with attributes of their own.
const (
	classSubnet         = 0x01
	classSubnetAdmin    = 0x03
	classPerformance    = 0x04
	classSubnetDirected = 0x81
)

var classes = [...]named[uint8]{
	{classSubnet, "SubnMgt"}, {classSubnetDirected, "SubnMgtDirected"}, {classSubnetAdmin, "SubnAdm"},
	{classPerformance, "PerfMgt"}, {0x05, "BM"},
	{0x06, "DevMgt"}, {wire.MADClassCM, "CommMgt"}, {0x08, "SNMP"},
}

var methods = [...]named[uint8]{
	{0x01, "Get"}, {0x02, "Set"}, {0x03, "Send"}, {0x05, "Trap"}, {0x06, "Report"}, {0x07, "TrapRepress"},
	{0x12, "GetTable"}, {0x13, "GetTraceTable"}, {0x14, "GetMulti"}, {0x15, "Delete"},
	{0x81, "GetResp"}, {0x86, "ReportResp"}, {0x92, "GetTableResp"}, {0x94, "GetMultiResp"}, {0x95, "DeleteResp"},
}

// otherAttributes are those of the classes that have no table here.
var otherAttributes = []named[uint16]{{0x0001, "ClassPortInfo"}, {0x0002, "Notice"}, {0x0003, "InformInfo"}}

var attributes = map[uint8][]named[uint16]{
	classSubnet: { // IBA vol 1, 14.2.5
		{0x0002, "Notice"}, {0x0010, "NodeDescription"}, {0x0011, "NodeInfo"}, {0x0012, "SwitchInfo"},
		{0x0014, "GUIDInfo"}, {0x0015, "PortInfo"}, {0x0016, "P_KeyTable"},
		{0x0017, "SLtoVLMappingTable"}, {0x0018, "VLArbitrationTable"}, {0x0019, "LinearForwardingTable"},
		{0x001a, "RandomForwardingTable"},
		{0x001b, "MulticastForwardingTable"}, {0x001c, "LinkSpeedWidthPairsTable"}, {0x0020, "SMInfo"},
		{0x0030, "VendorDiag"}, {0x0031, "LedInfo"},
	},
	classSubnetAdmin: { // IBA vol 1, 15.2.5
		{0x0001, "ClassPortInfo"}, {0x0002, "Notice"}, {0x0003, "InformInfo"}, {0x0011, "NodeRecord"},
		{0x0012, "PortInfoRecord"}, {0x0013, "SLtoVLMappingTableRecord"}, {0x0014, "SwitchInfoRecord"},
		{0x0015, "LinearForwardingTableRecord"}, {0x0016, "RandomForwardingTableRecord"},
		{0x0017, "MulticastForwardingTableRecord"}, {0x0018, "SMInfoRecord"},
		{0x0019, "LinkSpeedWidthPairsTableRecord"}, {0x0020, "LinkRecord"}, {0x0030, "GuidInfoRecord"},
		{0x0031, "ServiceRecord"}, {0x0033, "P_KeyTableRecord"}, {0x0035, "PathRecord"},
		{0x0036, "VLArbitrationTableRecord"}, {0x0038, "MCMemberRecord"}, {0x0039, "TraceRecord"},
		{0x003a, "MultiPathRecord"},
		{0x003b, "ServiceAssociationRecord"}, {0x00f3, "InformInfoRecord"},
	},
	classPerformance: { // IBA vol 1, 16.1.3
		{0x0001, "ClassPortInfo"}, {0x0010, "PortSamplesControl"}, {0x0011, "PortSamplesResult"},
		{0x0012, "PortCounters"}, {0x0015, "PortRcvErrorDetails"},
		{0x0016, "PortXmitDiscardDetails"}, {0x0017, "PortOpRcvCounters"}, {0x0018, "PortFlowCtlCounters"},
		{0x001d, "PortCountersExtended"},
	},
	wire.MADClassCM: messages(),
}

// messages are the attributes of the connection manager.
func messages() (all []named[uint16]) {
	all = append(all, named[uint16]{0x0001, "ClassPortInfo"})
	for a := wire.CMAttrREQ; a <= wire.CMAttrAPR; a++ {
		all = append(all, named[uint16]{uint16(a), a.String()})
	}
	return all
}

var statuses = []named[uint8]{
	{1, "bad class or version"}, {2, "method not supported"}, {3, "attribute not supported by the method"},
	{7, "invalid field"},
}

// adminStatuses are those of subnet administration (IBA vol 1, 15.2.2).
var adminStatuses = []named[uint8]{
	{1, "no resources"}, {2, "request invalid"}, {3, "no records"}, {4, "too many records"}, {5, "invalid GID"},
	{6, "insufficient components"}, {7, "request denied"},
}
