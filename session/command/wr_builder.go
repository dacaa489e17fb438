package command

import "rdmatui/verbs"

// WRBuilder is the function that begins a request between ibv_wr_start and
// ibv_wr_complete; ibv_wr_post(3).
type WRBuilder struct {
	Func string
	Args []string // arguments of post_send, in the order of the function's
	Data bool     // a function for the SGE list follows
}

// WRBuilders tells the function of each opcode that has one.
var WRBuilders = map[verbs.WROpcode]WRBuilder{
	verbs.WRSend:              {"ibv_wr_send", nil, true},
	verbs.WRSendWithImm:       {"ibv_wr_send_imm", []string{"imm_data"}, true},
	verbs.WRSendWithInv:       {"ibv_wr_send_inv", []string{"invalidate_rkey"}, true},
	verbs.WRRDMAWrite:         {"ibv_wr_rdma_write", []string{"rkey", "remote_addr"}, true},
	verbs.WRRDMAWriteWithImm:  {"ibv_wr_rdma_write_imm", []string{"rkey", "remote_addr", "imm_data"}, true},
	verbs.WRRDMARead:          {"ibv_wr_rdma_read", []string{"rkey", "remote_addr"}, true},
	verbs.WRAtomicCmpAndSwp:   {"ibv_wr_atomic_cmp_swp", []string{"rkey", "remote_addr", "compare_add", "swap"}, true},
	verbs.WRAtomicFetchAndAdd: {"ibv_wr_atomic_fetch_add", []string{"rkey", "remote_addr", "compare_add"}, true},
	verbs.WRLocalInv:          {"ibv_wr_local_inv", []string{"invalidate_rkey"}, false},
	verbs.WRBindMW:            {"ibv_wr_bind_mw", []string{"mw", "rkey", "mr"}, false},
	verbs.WRFlush:             {"ibv_wr_flush", []string{"rkey", "remote_addr", "length", "type", "level"}, false},
	verbs.WRAtomicWrite:       {"ibv_wr_atomic_write", []string{"rkey", "remote_addr", "sge"}, false},
}
