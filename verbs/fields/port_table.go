package fields

import (
	"fmt"

	"rdmatui/verbs"
)

// PortField describes one field of PortAttr.
type PortField struct {
	Name   string // C field name
	Unit   string
	Format func(p *verbs.PortAttr) string
}

func portNumber[T verbs.Integer](at func(*verbs.PortAttr) T) func(*verbs.PortAttr) string {
	return func(p *verbs.PortAttr) string { return fmt.Sprint(uint64(at(p))) }
}

// Port lists the fields of struct ibv_port_attr in its order.
var Port = []PortField{
	{"state", "", func(p *verbs.PortAttr) string { return p.State.String() }},
	{"max_mtu", "bytes", func(p *verbs.PortAttr) string { return p.MaxMTU.String() }},
	{"active_mtu", "bytes", func(p *verbs.PortAttr) string { return p.ActiveMTU.String() }},
	{"gid_tbl_len", "", portNumber(func(p *verbs.PortAttr) int32 { return p.GIDTblLen })},
	{"port_cap_flags", "flags", func(p *verbs.PortAttr) string { return verbs.PortCaps.Name(p.PortCapFlags) }},
	{"max_msg_sz", "bytes", portNumber(func(p *verbs.PortAttr) uint32 { return p.MaxMsgSz })},
	{"bad_pkey_cntr", "", portNumber(func(p *verbs.PortAttr) uint32 { return p.BadPKeyCntr })},
	{"qkey_viol_cntr", "", portNumber(func(p *verbs.PortAttr) uint32 { return p.QKeyViolCntr })},
	{"pkey_tbl_len", "", portNumber(func(p *verbs.PortAttr) uint16 { return p.PKeyTblLen })},
	{"lid", "", portNumber(func(p *verbs.PortAttr) uint16 { return p.LID })},
	{"sm_lid", "", portNumber(func(p *verbs.PortAttr) uint16 { return p.SMLID })},
	{"lmc", "", portNumber(func(p *verbs.PortAttr) uint8 { return p.LMC })},
	{"max_vl_num", "code", portNumber(func(p *verbs.PortAttr) uint8 { return p.MaxVLNum })},
	{"sm_sl", "", portNumber(func(p *verbs.PortAttr) uint8 { return p.SMSL })},
	{"subnet_timeout", "4.096 µs·2ⁿ", portNumber(func(p *verbs.PortAttr) uint8 { return p.SubnetTimeout })},
	{"init_type_reply", "", portNumber(func(p *verbs.PortAttr) uint8 { return p.InitTypeReply })},
	{"active_width", "", func(p *verbs.PortAttr) string {
		return codeText(uint64(p.ActiveWidth), p.Lanes() > 0, fmt.Sprintf("%dX", p.Lanes()))
	}},
	{"active_speed", "", func(p *verbs.PortAttr) string {
		return codeText(uint64(p.ActiveSpeed), p.LaneRate() > 0, fmt.Sprintf("%g Gb/s", p.LaneRate()))
	}},
	{"phys_state", "", func(p *verbs.PortAttr) string { return p.PhysState.String() }},
	{"link_layer", "", func(p *verbs.PortAttr) string { return p.LinkLayer.String() }},
	{"flags", "flags", portNumber(func(p *verbs.PortAttr) uint8 { return p.Flags })},
	{"port_cap_flags2", "flags", func(p *verbs.PortAttr) string { return fmt.Sprintf("0x%x", p.PortCapFlags2) }},
}

// codeText formats an encoded value as "4 (2X)".
func codeText(code uint64, known bool, meaning string) string {
	if !known {
		return fmt.Sprint(code)
	}
	return fmt.Sprintf("%d (%s)", code, meaning)
}
