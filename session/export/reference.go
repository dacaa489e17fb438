package export

import (
	"fmt"
	"strconv"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// reader returns the C expression of a field of an object; ok is false if C has none,
// so that the session's value is used.
type reader func(t *line, o *object, field string) (expr string, ok bool)

// readers are the readers of each kind.
var readers = map[command.ObjectKind]reader{
	command.KindDevice: readDevice, command.KindMR: readMR, command.KindMW: readMW, command.KindCQ: readCQ,
	command.KindSRQ: readSRQ, command.KindQP: readQP, command.KindPeer: readPeer, command.KindID: readID,
}

// members looks up a field in a table of formats with one %s for the object.
func members(table map[string]string, expr, field string) (string, bool) {
	format, ok := table[field]
	if !ok {
		return "", false
	}
	return fmt.Sprintf(format, expr), true
}

func readDevice(t *line, o *object, field string) (string, bool) {
	switch field {
	case "gid":
		return fmt.Sprintf("gid_at(%s, %s, gid_index)", o.expr, t.anyPort()), true
	case "lid":
		return fmt.Sprintf("port_attr_of(%s, %s).lid", o.expr, t.anyPort()), true
	case "port_num":
		return t.anyPort(), true
	}
	for i := range fields.Device {
		if fields.Device[i].Name == field && plainDeviceFields[field] {
			return fmt.Sprintf("device_attr_of(%s).%s", o.expr, field), true
		}
	}
	return "", false
}

// plainDeviceFields are the numeric fields of struct ibv_device_attr.
var plainDeviceFields = func() map[string]bool {
	fields := map[string]bool{}
	for _, f := range strings.Fields(`max_mr_size page_size_cap vendor_id vendor_part_id hw_ver max_qp max_qp_wr max_sge max_sge_rd
		max_cq max_cqe max_mr max_pd max_qp_rd_atom max_ee_rd_atom max_res_rd_atom max_qp_init_rd_atom max_mw max_mcast_grp
		max_mcast_qp_attach max_ah max_srq max_srq_wr max_srq_sge max_pkeys phys_port_cnt`) {
		fields[f] = true
	}
	return fields
}()

// portOf returns the port that a queue pair is on, or the configurable one.
func (c *choices) portOf(o *object) string {
	if o.port != "" {
		return o.port
	}
	return c.anyPort()
}

func readMR(_ *line, o *object, field string) (string, bool) {
	if form, at, ok := numberField(field); ok {
		return loadNumber(form, o.expr+"->addr", at), true
	}
	return members(map[string]string{
		"addr": "(uintptr_t)%s->addr", "lkey": "%s->lkey", "rkey": "%s->rkey", "length": "%s->length",
	}, o.expr, field)
}

// numberField splits be32.8.
func numberField(field string) (form string, at uint64, ok bool) {
	form, offset, found := strings.Cut(field, ".")
	if !found || command.NumberSize(form) == 0 {
		return "", 0, false
	}
	at, err := strconv.ParseUint(offset, 10, 31)
	return form, at, err == nil
}

// loadNumber reads a number from memory in the named layout.
func loadNumber(form, base string, at uint64) string {
	return fmt.Sprintf("%s((char *)%s + %d, %d)", byteOrder("load", form), base, at, command.NumberSize(form))
}

// byteOrder returns the function that converts numbers of a layout.
func byteOrder(do, form string) string {
	if strings.HasPrefix(form, "le") {
		return do + "_le"
	}
	return do + "_be"
}

func readCQ(_ *line, o *object, field string) (string, bool) {
	switch field {
	case "cqe":
		return o.expr + "->cqe", true
	case "imm_data":
		return fmt.Sprintf("ntohl(last_wc(%s)->imm_data)", o.expr), true
	}
	for i := range verbs.WCFields {
		if verbs.WCFields[i].Name == field {
			return fmt.Sprintf("last_wc(%s)->%s", o.expr, field), true
		}
	}
	return "", false
}

func readSRQ(_ *line, o *object, field string) (string, bool) {
	return members(map[string]string{
		"max_wr": "srq_attr_of(%s).max_wr", "max_sge": "srq_attr_of(%s).max_sge",
		"srq_limit": "srq_attr_of(%s).srq_limit",
	}, o.expr, field)
}

func readQP(t *line, o *object, field string) (string, bool) {
	switch field {
	case "qp_num":
		return o.expr + "->qp_num", true
	case "psn":
		return t.psnOf(o), true
	case "sq_psn":
		if o.psnSet == "" {
			return t.psnOf(o), true
		}
	case "gid":
		return fmt.Sprintf("gid_at(%s->context, %s, gid_index)", o.expr, t.portOf(o)), true
	case "lid":
		return fmt.Sprintf("port_attr_of(%s->context, %s).lid", o.expr, t.portOf(o)), true
	case "qp_type":
		return o.expr + "->qp_type", true
	case "state":
		field = "qp_state"
	}
	if f := fields.QPNamed(field); f != nil {
		return fmt.Sprintf("attr_of(%s).%s", o.expr, f.CName), true
	}
	return "", false
}

// psnOf returns the variable with the first PSN of a queue pair.
func (t *translator) psnOf(o *object) string {
	return t.vars.named(o.name+"_psn", "psn", "uint32_t ", "random_psn()")
}

func readPeer(_ *line, o *object, field string) (string, bool) {
	region, last := "NULL", field // the peer's first region
	if at := strings.LastIndexByte(field, '.'); at >= 0 {
		region, last = quoted(field[:at]), field[at+1:]
	}
	if last == "addr" || last == "rkey" || last == "length" {
		return fmt.Sprintf("region_of(&%s, %s)->%s", o.expr, region, last), true
	}
	return members(map[string]string{"qp_num": "%s.qp_num", "psn": "%s.psn", "lid": "%s.lid", "gid": "%s.gid"}, o.expr,
		field)
}

func readID(t *line, o *object, field string) (string, bool) {
	t.await(o)
	if rest, ok := strings.CutPrefix(field, "private_data."); ok {
		if which, ok := strings.CutPrefix(rest, "pair."); ok && (which == "0" || which == "1") {
			return fmt.Sprintf("number_of_pair(told_by_peer(%s), %s)", o.expr, which), true
		}
		form, at, ok := numberField(rest)
		return loadNumber(form, fmt.Sprintf("told_by_peer(%s)->private_data", o.expr), at), ok
	}
	if state, name, ok := strings.Cut(field, "."); ok {
		f := fields.QPNamed(name)
		st, err := verbs.QPStates.Parse(state)
		if f == nil || err != nil {
			return "", false
		}
		return fmt.Sprintf("init_attr_of(%s, %s).%s", o.expr, verbs.QPStates.CName(st), f.CName), true
	}
	return members(idMembers, o.expr, field)
}

var idMembers = map[string]string{
	"port":                "ntohs(rdma_get_src_port(%s))",
	"peer_port":           "ntohs(rdma_get_dst_port(%s))",
	"gid":                 "gid_of_address(rdma_get_local_addr(%s))",
	"peer_gid":            "gid_of_address(rdma_get_peer_addr(%s))",
	"port_num":            "%s->port_num",
	"qp_num":              "%s->qp->qp_num",
	"peer_qp_num":         "told_by_peer(%s)->peer_qp_num",
	"remote_qpn":          "told_by_peer(%s)->peer_qp_num",
	"remote_qkey":         "told_by_peer(%s)->remote_qkey",
	"responder_resources": "told_by_peer(%s)->responder_resources",
	"initiator_depth":     "told_by_peer(%s)->initiator_depth",
	"event":               "last_cm_event(%s)->type",
	"status":              "last_cm_event(%s)->status",
}
