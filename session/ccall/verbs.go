package ccall

import "rdmatui/verbs"

// CreateQP returns the call of ibv_create_qp, or of ibv_create_qp_ex if the source
// has send_ops_flags; context is the domain's.
func CreateQP(context, pd string, v Source) Call {
	if ops := v("send_ops_flags"); ops == nil || ops.Short() == "0" {
		return call("ibv_create_qp", Text(pd), qpInitAttr.fill(v).Pointer())
	}
	init := qpInitAttrEx.fill(func(member string) Node {
		switch member {
		case "comp_mask":
			return Flags("IBV_QP_INIT_ATTR_PD|IBV_QP_INIT_ATTR_SEND_OPS_FLAGS")
		case "pd":
			return Text(pd)
		}
		return v(member)
	})
	return call("ibv_create_qp_ex", Text(context), init.Pointer())
}

// ModifyQP returns the call of ibv_modify_qp.
func ModifyQP(qp string, v Source, set verbs.AttrMask) Call {
	return call("ibv_modify_qp", Text(qp), qpAttr.fill(v).Pointer(), mask(verbs.AttrMasks.CName(set)))
}

// Modify returns the call of ibv_modify_qp with current values.
func Modify(qp string, attr verbs.QPAttr) Node {
	return Lazy(func() Node { return ModifyQP(qp, QPAttr(&attr), attr.Mask) })
}

// CreateAH returns the call of ibv_create_ah.
func CreateAH(pd string, v Source) Call {
	return call("ibv_create_ah", Text(pd), ahAttrs.fill(v).Pointer())
}

// CreateCQ returns the call of ibv_create_cq, or of ibv_create_cq_ex for a queue with more fields than the usual ones.
func CreateCQ(device string, fields verbs.CQWCFlags, v Source) Call {
	whole := func(member string) Node {
		value := v(member)
		switch {
		case member == "wc_flags":
			return WCFlags(fields)
		case value == nil:
			return Text("NULL")
		}
		return value
	}
	if fields == 0 {
		return call("ibv_create_cq", Text(device), whole("cqe"), Text("NULL"), whole("channel"), whole("comp_vector"))
	}
	return call("ibv_create_cq_ex", Text(device), cqInitAttrEx.fill(whole).Pointer())
}

// WCFlags returns the fields of an extended queue's completions, nil for a queue with
// only the usual ones.
func WCFlags(flags verbs.CQWCFlags) Node {
	if flags == 0 {
		return nil
	}
	text := "IBV_WC_STANDARD_FLAGS"
	if more := flags &^ verbs.CQStandard; more != 0 {
		text += "|" + verbs.CQWCFlagNames.CName(more)
	}
	return Flags(text)
}

// GetAddrInfo returns the call of rdma_getaddrinfo; its hints are NULL if the source
// has none.
func GetAddrInfo(node, service string, v Source, result string) Call {
	hints := Node(Text("NULL"))
	if h := addrInfo.fill(v); !h.Empty() {
		hints = h.Pointer()
	}
	return call("rdma_getaddrinfo", Text(node), Text(service), hints, Text("&"+result))
}
