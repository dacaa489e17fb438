package ccall

import (
	"strings"

	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// Source returns the value of a member by its path, such as "cap.max_send_wr", or nil
// if the member is left out.
type Source func(member string) Node

// Named returns a source that looks up members by the last element of their paths.
func (v Source) Named() Source {
	return func(member string) Node { return v(member[strings.LastIndexByte(member, '.')+1:]) }
}

// layout holds the members of a struct in the order in which they are written.
type layout struct {
	ctype   string
	members []slot
}

type slot struct {
	name, path string
	optional   bool   // left out if it is 0
	within     []slot // set if the member is itself a struct
}

// members parses the names of members; a nested struct's members follow its name in
// braces, and '?' one that is left out if it is 0.
func members(text string) []slot {
	all, _ := slots("", strings.Fields(apart.Replace(text)))
	return all
}

// apart serves all layouts: they are read at every start of the program, and a replacer takes 10 KB at its first use.
var apart = strings.NewReplacer("{", " { ", "}", " } ")

func slots(prefix string, words []string) (all []slot, rest []string) {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch word {
		case "}":
			return all, words
		case "{":
			last := &all[len(all)-1]
			last.within, words = slots(last.path+".", words)
		default:
			name, optional := strings.CutSuffix(word, "?")
			all = append(all, slot{name: name, path: prefix + name, optional: optional})
		}
	}
	return all, nil
}

// fill builds the struct from the members that a source has.
func (l *layout) fill(v Source) *Struct { return fill(l.ctype, l.members, v) }

func fill(ctype string, members []slot, v Source) *Struct {
	s := NewStruct(ctype)
	for i := range members {
		m := &members[i]
		if m.within == nil {
			if value := v(m.path); value != nil && !(m.optional && value.Short() == "0") {
				s.put(m.name, value)
			}
		} else if within := fill("", m.within, v); !within.Empty() {
			s.put(m.name, within)
		}
	}
	return s
}

const (
	qpInit   = "send_cq recv_cq srq cap{max_send_wr max_recv_wr max_send_sge max_recv_sge max_inline_data?} qp_type sq_sig_all?"
	ahAttr   = "grh{dgid flow_label sgid_index hop_limit traffic_class} dlid sl src_path_bits static_rate is_global port_num"
	bindInfo = "bind_info{mr addr length mw_access_flags}"
)

// Layouts of the structs, by use.
var (
	qpInitAttr   = layout{"struct ibv_qp_init_attr", members(qpInit)}
	qpInitAttrEx = layout{"struct ibv_qp_init_attr_ex", members(qpInit + " comp_mask pd send_ops_flags")}
	qpAttr       = layout{"struct ibv_qp_attr", qpMembers()}
	ahAttrs      = layout{"struct ibv_ah_attr", members(ahAttr)}
	srqInitAttr  = layout{"struct ibv_srq_init_attr", members("attr{max_wr max_sge}")}
	srqAttr      = layout{"struct ibv_srq_attr", members("max_wr srq_limit")}
	modifyCQAttr = layout{"struct ibv_modify_cq_attr", members("attr_mask moderate{cq_count cq_period}")}
	cqInitAttrEx = layout{"struct ibv_cq_init_attr_ex", members("cqe channel comp_vector wc_flags")}
	sge          = layout{"struct ibv_sge", members("addr length lkey")}
	recvWR       = layout{"struct ibv_recv_wr", members("wr_id sg_list num_sge")}
	sendWR       = layout{"struct ibv_send_wr",
		members("wr_id sg_list num_sge opcode send_flags imm_data invalidate_rkey " +
			"wr.atomic{remote_addr compare_add swap rkey} wr.rdma{remote_addr rkey} wr.ud{ah remote_qpn remote_qkey} bind_mw{mw rkey " + bindInfo + "}")}
	mwBind     = layout{"struct ibv_mw_bind", members("wr_id send_flags " + bindInfo)}
	mwBindInfo = layout{"struct ibv_mw_bind_info", mwBind.members[2].within}
	dmAttr     = layout{"struct ibv_alloc_dm_attr", members("length log_align_req")}
	connParam  = layout{"struct rdma_conn_param", members("private_data private_data_len responder_resources initiator_depth flow_control retry_count rnr_retry_count srq? qp_num?")}
	addrInfo   = layout{"struct rdma_addrinfo",
		members("ai_flags ai_family ai_qp_type ai_port_space ai_src_addr ai_src_len")}
)

// qpMembers returns the members that modify_qp sets, in the order of its fields; the
// address vector is a nested struct.
func qpMembers() []slot {
	var text []string
	vector := false
	for i := range fields.QP {
		switch f := &fields.QP[i]; {
		case f.Bit != verbs.AttrAV:
			text = append(text, strings.ReplaceAll(f.CName, "alt_ah_attr.grh.dgid", "alt_ah_attr{grh{dgid}}"))
		case !vector:
			vector = true
			text = append(text, "ah_attr{"+ahAttr+"}")
		}
	}
	return members(strings.Join(text, " "))
}
