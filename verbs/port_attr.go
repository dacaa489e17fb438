package verbs

// PortState is the logical state of a port; IBA 14.2.5.6.
type PortState uint32

// PortActive is the only state in which data packets flow.
const PortActive PortState = 4

// PortStates names the values of enum ibv_port_state.
var PortStates = Enum[PortState]{"port_state", "IBV_PORT_", map[PortState]string{
	0: "NOP", 1: "DOWN", 2: "INIT", 3: "ARMED", PortActive: "ACTIVE", 5: "ACTIVE_DEFER",
}}

// String returns the C name without its prefix, "unreadable" for PortUnreadable and "unknown(n)" if
// it has no name.
func (s PortState) String() string {
	if s == PortUnreadable {
		return "unreadable"
	}
	return PortStates.Name(s)
}

// PortUnreadable is the state of a port for which ibv_query_port fails. C has no such value.
const PortUnreadable PortState = 0xff

// MarshalText is String, for JSON.
func (s PortState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// PhysState is the physical state of a port's link; IBA 14.2.5.6.
type PhysState uint8

// PhysStates names the physical port states.
var PhysStates = Enum[PhysState]{"phys_state", "", map[PhysState]string{
	1: "SLEEP", 2: "POLLING", 3: "DISABLED", 4: "TRAINING", 5: "LINK_UP", 6: "LINK_ERROR_RECOVERY", 7: "PHY_TEST",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (s PhysState) String() string { return PhysStates.Name(s) }

// MarshalText is String, for JSON.
func (s PhysState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LinkLayer is the link layer of a port; IBV_LINK_LAYER_*.
type LinkLayer uint8

// Link layers.
const (
	LinkUnspecified LinkLayer = 0
	LinkInfiniBand  LinkLayer = 1
	LinkEthernet    LinkLayer = 2
)

// LinkLayers names the link layers as ibv_devinfo spells them.
var LinkLayers = Enum[LinkLayer]{"link_layer", "IBV_LINK_LAYER_", map[LinkLayer]string{
	LinkUnspecified: "UNSPECIFIED", LinkInfiniBand: "INFINIBAND", LinkEthernet: "ETHERNET",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (l LinkLayer) String() string { return LinkLayers.Name(l) }

// MarshalText is String, for JSON.
func (l LinkLayer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// PortCap is the word port_cap_flags.
type PortCap uint32

// PortCaps names the port capability flags; IBA 14.2.5.6.
var PortCaps = Flags[PortCap]{"port_cap_flags", "IBV_PORT_", map[int]string{
	1: "SM", 2: "NOTICE_SUP", 3: "TRAP_SUP", 4: "OPT_IPD_SUP", 5: "AUTO_MIGR_SUP", 6: "SL_MAP_SUP",
	7: "MKEY_NVRAM", 8: "PKEY_NVRAM", 9: "LED_INFO_SUP", 11: "SYS_IMAGE_GUID_SUP",
	12: "PKEY_SW_EXT_PORT_TRAP_SUP", 14: "EXTENDED_SPEEDS_SUP", 15: "CAP_MASK2_SUP", 16: "CM_SUP",
	17: "SNMP_TUNNEL_SUP", 18: "REINIT_SUP", 19: "DEVICE_MGMT_SUP", 20: "VENDOR_CLASS_SUP",
	21: "DR_NOTICE_SUP", 22: "CAP_MASK_NOTICE_SUP", 23: "BOOT_MGMT_SUP", 24: "LINK_LATENCY_SUP",
	25: "CLIENT_REG_SUP", 26: "IP_BASED_GIDS",
}}

// PortGRHRequired is the bit of PortAttr.Flags that means every address vector needs a GRH
// (is_global = 1); IBV_QPF_GRH_REQUIRED.
const PortGRHRequired uint8 = 1

// PortAttr holds the attributes of one port; struct ibv_port_attr. ibv_query_port(3).
type PortAttr struct {
	PortNum       uint8     `json:"port_num"`
	State         PortState `json:"state"`
	MaxMTU        MTU       `json:"max_mtu"`    // bytes
	ActiveMTU     MTU       `json:"active_mtu"` // bytes
	GIDTblLen     int32     `json:"gid_tbl_len"`
	PortCapFlags  PortCap   `json:"port_cap_flags"`
	MaxMsgSz      uint32    `json:"max_msg_sz"` // bytes
	BadPKeyCntr   uint32    `json:"bad_pkey_cntr"`
	QKeyViolCntr  uint32    `json:"qkey_viol_cntr"`
	PKeyTblLen    uint16    `json:"pkey_tbl_len"`
	LID           uint16    `json:"lid"` // 0 on RoCE
	SMLID         uint16    `json:"sm_lid"`
	LMC           uint8     `json:"lmc"`
	MaxVLNum      uint8     `json:"max_vl_num"` // encoded
	SMSL          uint8     `json:"sm_sl"`
	SubnetTimeout uint8     `json:"subnet_timeout"` // 4.096 µs·2ⁿ
	InitTypeReply uint8     `json:"init_type_reply"`
	ActiveWidth   uint8     `json:"active_width"` // code: see [PortAttr.Rate]
	ActiveSpeed   uint16    `json:"active_speed"` // code: see [PortAttr.Rate]; XDR and faster come from active_speed_ex
	PhysState     PhysState `json:"phys_state"`
	LinkLayer     LinkLayer `json:"link_layer"`
	Flags         uint8     `json:"flags"` // bit 0: [PortGRHRequired]
	PortCapFlags2 uint16    `json:"port_cap_flags2"`
}

// portWidths maps active_width to lanes, portSpeeds maps active_speed to the data rate of one lane
// in units of 0.1 Gbit/s; IBA 14.2.5.6.
var (
	portWidths = map[uint8]int{1: 1, 2: 4, 4: 8, 8: 12, 16: 2}
	portSpeeds = map[uint16]int{1: 25, 2: 50, 4: 100, 8: 100, 16: 140, 32: 250, 64: 500, 128: 1000, 256: 2000}
)

// Lanes returns the number of lanes for active_width, 0 if it is unknown.
func (p *PortAttr) Lanes() int { return portWidths[p.ActiveWidth] }

// LaneRate returns the nominal rate of one lane in Gbit/s, 0 if active_speed is unknown.
func (p *PortAttr) LaneRate() float64 { return float64(portSpeeds[p.ActiveSpeed]) / 10 }

// Rate returns the nominal rate in Gbit/s, 0 if a code is unknown.
func (p *PortAttr) Rate() float64 {
	return float64(portWidths[p.ActiveWidth]*portSpeeds[p.ActiveSpeed]) / 10
}
