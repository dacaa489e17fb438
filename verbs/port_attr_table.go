package verbs

import "fmt"

// PortField describes one field of PortAttr.
type PortField struct {
	Name   string // C field name
	Unit   string
	Doc    string
	Format func(p *PortAttr) string
}

func portNumber[T Integer](at func(*PortAttr) T) func(*PortAttr) string {
	return func(p *PortAttr) string { return fmt.Sprint(uint64(at(p))) }
}

// PortFields lists the fields of struct ibv_port_attr in its order.
var PortFields = []PortField{
	{"state", "", "logical state; only ACTIVE carries data", func(p *PortAttr) string { return p.State.String() }},
	{"max_mtu", "bytes", "largest MTU that the port can have", func(p *PortAttr) string { return p.MaxMTU.String() }},
	{"active_mtu", "bytes", "largest path_mtu that works now", func(p *PortAttr) string { return p.ActiveMTU.String() }},
	{"gid_tbl_len", "", "rows of the GID table", portNumber(func(p *PortAttr) int32 { return p.GIDTblLen })},
	{"port_cap_flags", "flags", "what the port can do", func(p *PortAttr) string { return PortCaps.Name(p.PortCapFlags) }},
	{"max_msg_sz", "bytes", "largest message", portNumber(func(p *PortAttr) uint32 { return p.MaxMsgSz })},
	{"bad_pkey_cntr", "", "packets with a wrong P_Key", portNumber(func(p *PortAttr) uint32 { return p.BadPKeyCntr })},
	{"qkey_viol_cntr", "", "packets with a wrong Q_Key", portNumber(func(p *PortAttr) uint32 { return p.QKeyViolCntr })},
	{"pkey_tbl_len", "", "rows of the P_Key table", portNumber(func(p *PortAttr) uint16 { return p.PKeyTblLen })},
	{"lid", "", "local identifier; 0 on RoCE", portNumber(func(p *PortAttr) uint16 { return p.LID })},
	{"sm_lid", "", "subnet manager's LID", portNumber(func(p *PortAttr) uint16 { return p.SMLID })},
	{"lmc", "", "low LID bits that are ignored", portNumber(func(p *PortAttr) uint8 { return p.LMC })},
	{"max_vl_num", "code", "virtual lanes: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15", portNumber(func(p *PortAttr) uint8 { return p.MaxVLNum })},
	{"sm_sl", "", "service level to the subnet manager", portNumber(func(p *PortAttr) uint8 { return p.SMSL })},
	{"subnet_timeout", "4.096 µs·2ⁿ", "longest propagation delay in the subnet", portNumber(func(p *PortAttr) uint8 { return p.SubnetTimeout })},
	{"init_type_reply", "", "initialization done by the subnet manager", portNumber(func(p *PortAttr) uint8 { return p.InitTypeReply })},
	{"active_width", "", "lanes in use", func(p *PortAttr) string {
		return codeText(uint64(p.ActiveWidth), p.Lanes() > 0, fmt.Sprintf("%dX", p.Lanes()))
	}},
	{"active_speed", "", "speed of one lane", func(p *PortAttr) string {
		return codeText(uint64(p.ActiveSpeed), portSpeeds[p.ActiveSpeed] > 0, fmt.Sprintf("%g Gb/s", float64(portSpeeds[p.ActiveSpeed])/10))
	}},
	{"phys_state", "", "physical state of the link", func(p *PortAttr) string { return p.PhysState.String() }},
	{"link_layer", "", "what carries the packets", func(p *PortAttr) string { return p.LinkLayer.String() }},
	{"flags", "flags", "1 = every address vector needs a GRH", portNumber(func(p *PortAttr) uint8 { return p.Flags })},
	{"port_cap_flags2", "flags", "more of what the port can do", func(p *PortAttr) string { return fmt.Sprintf("0x%x", p.PortCapFlags2) }},
}

// codeText renders an encoded value as "4 (2X)".
func codeText(code uint64, known bool, meaning string) string {
	if !known {
		return fmt.Sprint(code)
	}
	return fmt.Sprintf("%d (%s)", code, meaning)
}
