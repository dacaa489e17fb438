package ccall

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// TestTexts: a tree has a short form on one line and a long form that compiles.
func TestTexts(t *testing.T) {
	one, two := SGE("src->addr", "5", "src->lkey"), SGE("0x1000", "8", "0x11")
	attr := verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrAV, QPState: verbs.QPRTR}
	attr.AH.IsGlobal, attr.AH.PortNum, attr.AH.GRH.HopLimit = true, 1, 64
	sized := func(member string) Node {
		return map[string]Node{"cap.max_send_wr": Text("16"), "qp_type": Text("IBV_QPT_RC")}[member]
	}
	extended := func(member string) Node {
		if member == "send_ops_flags" {
			return Flags("IBV_QP_EX_WITH_SEND|IBV_QP_EX_WITH_FLUSH")
		}
		return nil
	}
	for name, tt := range map[string]struct {
		node        Node
		short, long string
	}{
		"flags":   {Flags("A|B"), "A|B", "A | B"},
		"nothing": {NewStruct("struct s").Pointer(), "{}", "&(struct s){ 0 }"},
		"few members": {NewStruct("struct s").Set("a", "1").Set("b", "2").Pointer(), "{.a = 1, .b = 2}",
			"&(struct s){ .a = 1, .b = 2 }"},
		"many members": {two, "{.addr = 0x1000, .length = 8, .lkey = 0x11}",
			"{\n\t.addr = 0x1000,\n\t.length = 8,\n\t.lkey = 0x11,\n}"},
		"one piece": {List{NewStruct("struct s").Set("a", "1")}, "{{.a = 1}}", "&(struct s){ .a = 1 }"},
		"two pieces": {List{NewStruct("struct s").Set("a", "1"), NewStruct("struct s").Set("a", "2")},
			"{{.a = 1}, {.a = 2}}", "(struct s[]){\n\t{ .a = 1 },\n\t{ .a = 2 },\n}"},
		"a chain": {Post("ibv_post_recv", "qp", "bad_wr", NewStruct("struct s").Set("a", "1"),
			NewStruct("struct s").Set("a", "2")),
			"ibv_post_recv(qp, {.a = 1} → {.a = 2}, &bad_wr)",
			"ibv_post_recv(qp, &(struct s){ .a = 1, .next = &(struct s){ .a = 2 } }, &bad_wr)"},
		"a struct within": {CreateQP("ctx", "pd", sized),
			"ibv_create_qp(pd, {.cap = {.max_send_wr = 16}, .qp_type = IBV_QPT_RC})",
			"ibv_create_qp(pd, &(struct ibv_qp_init_attr){ .cap = { .max_send_wr = 16 }, .qp_type = IBV_QPT_RC })"},
		"an extended queue pair": {CreateQP("ctx", "pd", extended),
			"ibv_create_qp_ex(ctx, {.comp_mask = IBV_QP_INIT_ATTR_PD|IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .pd = pd, .send_ops_flags = IBV_QP_EX_WITH_SEND|IBV_QP_EX_WITH_FLUSH})",
			"ibv_create_qp_ex(ctx, &(struct ibv_qp_init_attr_ex){\n\t.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,\n\t.pd = pd,\n\t.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_FLUSH,\n})"},
		"an address vector": {ModifyQP("qp", QPAttr(&attr), attr.Mask),
			`ibv_modify_qp(qp, {.qp_state = IBV_QPS_RTR, .ah_attr = {.grh = {.dgid = "::", .sgid_index = 0, .hop_limit = 64}, .is_global = 1, .port_num = 1}}, IBV_QP_STATE|IBV_QP_AV)`,
			"ibv_modify_qp(qp, &(struct ibv_qp_attr){\n\t.qp_state = IBV_QPS_RTR,\n\t.ah_attr = {\n\t\t.grh = {\n\t\t\t.dgid = \"::\",\n\t\t\t.sgid_index = 0,\n\t\t\t.hop_limit = 64,\n\t\t},\n\t\t.is_global = 1,\n\t\t.port_num = 1,\n\t},\n}, IBV_QP_STATE | IBV_QP_AV)"},
		"memory of two": {memory(List{one, two}, true),
			"ibv_wr_set_inline_data_list(qpx, 2, {{(void *)src->addr, 5}, {(void *)0x1000, 8}})",
			"ibv_wr_set_inline_data_list(qpx, 2, (struct ibv_data_buf[]){\n\t{ (void *)(src->addr), 5 },\n\t{ (void *)(0x1000), 8 },\n})"},
		"no memory": {memory(nil, false), "ibv_wr_set_sge_list(qpx, 0, NULL)", "ibv_wr_set_sge_list(qpx, 0, NULL)"},
	} {
		if got := tt.node.Short(); got != tt.short {
			t.Errorf("%s: short\n%s\nwant\n%s", name, got, tt.short)
		}
		if got := tt.node.Long(); got != tt.long {
			t.Errorf("%s: long\n%s\nwant\n%s", name, got, tt.long)
		}
	}
}

// TestSendWRByOpcode: a request has only the members that its opcode uses, whatever
// the source has.
func TestSendWRByOpcode(t *testing.T) {
	all := func(member string) Node {
		if member == "wr_id" || member == "ah" || member == "remote_qpn" || member == "remote_qkey" ||
			member == "sg_list" || member == "num_sge" || member == "send_flags" {
			return nil
		}
		return Text("1")
	}
	for op, want := range map[verbs.WROpcode]string{
		verbs.WRSend:             "{.opcode = IBV_WR_SEND}",
		verbs.WRSendWithImm:      "{.opcode = IBV_WR_SEND_WITH_IMM, .imm_data = 1}",
		verbs.WRSendWithInv:      "{.opcode = IBV_WR_SEND_WITH_INV, .invalidate_rkey = 1}",
		verbs.WRRDMARead:         "{.opcode = IBV_WR_RDMA_READ, .wr.rdma = {.remote_addr = 1, .rkey = 1}}",
		verbs.WRAtomicCmpAndSwp:  "{.opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .wr.atomic = {.remote_addr = 1, .compare_add = 1, .swap = 1, .rkey = 1}}",
		verbs.WRBindMW:           "{.opcode = IBV_WR_BIND_MW, .bind_mw = {.mw = 1, .rkey = 1, .bind_info = {.mr = 1, .addr = 1, .length = 1, .mw_access_flags = 1}}}",
		verbs.WRRDMAWriteWithImm: "{.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .imm_data = 1, .wr.rdma = {.remote_addr = 1, .rkey = 1}}",
	} {
		if got := SendWR(op, all).Short(); got != want {
			t.Errorf("%s: %s, want %s", op, got, want)
		}
	}
}

// TestEveryOpcodeIsBuilt: every opcode that ibv_wr_* can post has its function, with the parameters of ibv_wr_post(3).
func TestEveryOpcodeIsBuilt(t *testing.T) {
	for op, want := range map[verbs.WROpcode]string{
		verbs.WRSend:              "ibv_wr_send",
		verbs.WRSendWithImm:       "ibv_wr_send_imm imm_data",
		verbs.WRSendWithInv:       "ibv_wr_send_inv invalidate_rkey",
		verbs.WRRDMAWrite:         "ibv_wr_rdma_write rkey remote_addr",
		verbs.WRRDMAWriteWithImm:  "ibv_wr_rdma_write_imm rkey remote_addr imm_data",
		verbs.WRRDMARead:          "ibv_wr_rdma_read rkey remote_addr",
		verbs.WRAtomicCmpAndSwp:   "ibv_wr_atomic_cmp_swp rkey remote_addr compare_add swap",
		verbs.WRAtomicFetchAndAdd: "ibv_wr_atomic_fetch_add rkey remote_addr compare_add",
		verbs.WRLocalInv:          "ibv_wr_local_inv invalidate_rkey",
		verbs.WRBindMW:            "ibv_wr_bind_mw mw rkey mr",
		verbs.WRFlush:             "ibv_wr_flush rkey remote_addr length type level",
		verbs.WRAtomicWrite:       "ibv_wr_atomic_write rkey remote_addr sge",
	} {
		row := op.Traits()
		if got := strings.Join(append([]string{row.Builder}, builderArgs(row)...), " "); got != want {
			t.Errorf("%s: %s, want %s", op, got, want)
		}
	}
	for _, op := range verbs.WROpcodes.Values() {
		if op != verbs.WRTSO && op.Traits().Posted() != (op.SendOp() != 0) {
			t.Errorf("%s: posted here: %v; ibv_wr_* has it: %v", op, op.Traits().Posted(), op.SendOp() != 0)
		}
	}
}

// TestLongMaskIsBroken: a mask of maskWidth characters stays on its line, a longer one does not.
func TestLongMaskIsBroken(t *testing.T) {
	for extra, lines := range []int{1, 2} {
		parts := []string{strings.Repeat("A", 40), strings.Repeat("B", maskWidth-40-len(" | ")+extra), "C"}
		got := mask(strings.Join(parts[:2], "|")).Long()
		if n := strings.Count(got, "\n") + 1; n != lines {
			t.Errorf("%d characters too many:\n%s", extra, got)
		}
		again := mask(strings.Join(parts, "|")).Long()
		if want := parts[0] + " | " + parts[1] + " |\n\tC"; extra == 0 && again != want {
			t.Errorf("got\n%s\nwant\n%s", again, want)
		}
	}
}

func TestWCFlags(t *testing.T) {
	for flags, want := range map[verbs.CQWCFlags]string{
		verbs.CQStandard:                         "IBV_WC_STANDARD_FLAGS",
		verbs.CQStandard | verbs.CQWithTimestamp: "IBV_WC_STANDARD_FLAGS|IBV_WC_EX_WITH_COMPLETION_TIMESTAMP",
	} {
		if got := WCFlags(flags).Short(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := WCFlags(0); got != nil {
		t.Errorf("%v of a queue without flags", got)
	}
}

// TestConnParamInC: the C call lists the given parameters, and omits those left to librdmacm.
func TestConnParamInC(t *testing.T) {
	for line, want := range map[string]string{
		"rdma_connect id initiator_depth=2 flow_control=0 retry_count=3 rnr_retry_count=4":                             ".responder_resources = 1, .initiator_depth = 2, .flow_control = 0, .retry_count = 3, .rnr_retry_count = 4",
		"rdma_accept id initiator_depth=2 flow_control=0 rnr_retry_count=4":                                            ".responder_resources = 1, .initiator_depth = 2, .flow_control = 0, .rnr_retry_count = 4",
		`rdma_accept id private_data="hi" responder_resources=0 initiator_depth=0 rnr_retry_count=0 srq=1 qp_num=0x12`: `.private_data = "hi", .private_data_len = 2, .responder_resources = 0, .initiator_depth = 0, .flow_control = 1, .rnr_retry_count = 0, .srq = 1, .qp_num = 0x000012`,
	} {
		c, err := command.Parse(line)
		verb, _, _ := strings.Cut(line, " ")
		if got := Line(c, nil).Short(); err != nil || got != verb+"(id, {"+want+"})" {
			t.Errorf("%s: %v\n%s\nwant %s", line, err, got, want)
		}
	}
}

// TestFormsNameArguments checks that each word of a call, and each member of a struct in it, is an argument of the
// command: a misspelt one would be written as C text.
func TestFormsNameArguments(t *testing.T) {
	others := strings.Split("NULL &name &attr &init_attr &pkey &values attr_mask (1<<21)-1 "+
		"private_data_len retry_count &wc context addr length mr sgl nsge &event &cq &cq_context wc grh &id "+
		"&mask RDMA_OPTION_ID &optval sizeof(optval)", " ")
	for _, spec := range command.Commands {
		if spec.Call == (command.Call{}) {
			continue
		}
		words := spec.Call.Words()
		for _, word := range words {
			if s := structs[word]; s != nil {
				words = append(words, leaves(s.members)...)
			}
		}
		for _, word := range words {
			word = strings.ReplaceAll(word, " ", "")
			if spec.Arg(word) == nil && structs[word] == nil && !slices.Contains(others, word) {
				t.Errorf("%s has no argument %q", spec.Name, word)
			}
		}
	}
}

// leaves returns the names of members that are no structs themselves.
func leaves(members []slot) (names []string) {
	for _, m := range members {
		if names = append(names, leaves(m.within)...); m.within == nil {
			names = append(names, m.name)
		}
	}
	return names
}
