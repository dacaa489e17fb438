package steptest

import (
	"errors"

	"rdmatui/session"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/transition"
)

// prefilled are the values of a plan for queue pair a with b as its peer.
var prefilled = map[string]session.PlanRow{
	"port_num":           {Value: "1", Source: "port 1"},
	"pkey_index":         {Value: "0", Source: "default"},
	"qp_access_flags":    {Value: "REMOTE_WRITE|REMOTE_READ", Source: "default"},
	"path_mtu":           {Value: "1024", Source: "port max 4096"},
	"dest_qp_num":        {Value: "0x000012", Source: "from b", Ref: "b.qp_num"},
	"rq_psn":             {Value: "0x000222", Source: "from b", Ref: "b.psn"},
	"max_dest_rd_atomic": {Value: "1", Source: "device max 128"},
	"min_rnr_timer":      {Value: "12", Source: "default", Decoded: "640µs"},
	"is_global":          {Value: "1", Source: "the path has a GRH"},
	"dgid":               {Value: "::ffff:127.0.0.1", Source: "from b", Ref: "b.gid"},
	"sgid_index":         {Value: "1", Source: "::ffff:127.0.0.1 ROCE_V2"},
	"hop_limit":          {Value: "64", Source: "default"},
	"ah_port_num":        {Value: "1", Source: "port_num"},
	"sq_psn":             {Value: "0x000111", Source: "random, chosen at create_qp", Ref: "a.psn"},
	"timeout":            {Value: "14", Source: "default", Decoded: "67.109ms"},
	"retry_cnt":          {Value: "7", Source: "default"},
	"rnr_retry":          {Value: "7", Source: "default", Decoded: "for ever"},
	"max_rd_atomic":      {Value: "1", Source: "device max 128"},
}

// path are the fields of the address vector that a RoCE path needs.
var path = map[string]bool{"dgid": true, "sgid_index": true, "is_global": true, "ah_port_num": true}

// Plan implements screen.Session with the real transition table and fixed values.
func (s *Session) Plan(name string, to verbs.QPState) (session.Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	q := s.qp(name)
	if q == nil {
		return session.Plan{}, errors.New("no queue pair " + name)
	}
	p := session.Plan{QP: name, Type: q.Type, From: q.State, To: to}
	if len(s.snap.QPs) > 1 {
		p.Peer = "b"
	}
	var tr transition.Move
	tr, p.Valid = transition.Find(q.Type, q.State, to)
	for i := range fields.QP {
		f := &fields.QP[i]
		if f.Bit == verbs.AttrState {
			continue
		}
		row := session.PlanRow{}
		if tr.Required&f.Bit != 0 {
			row = prefilled[f.Name]
		}
		if p.Peer == "" && row.Source == "from b" {
			row = session.PlanRow{}
		}
		row.Field = f
		switch {
		case (tr.Required|tr.Optional)&f.Bit == 0:
		case tr.Required&f.Bit == 0, f.Bit == verbs.AttrAV && !path[f.Name]:
			row.Need = session.Optional
		default:
			row.Need = session.Required
		}
		p.Rows = append(p.Rows, row)
	}
	return p, nil
}
