package verbs

// SendOps is the set of operations that a queue pair accepts through ibv_wr_start and
// the calls that follow it; ibv_create_qp_ex(3), ibv_wr_post(3).
type SendOps uint64

// SendOpFlags names the operations; the bits are those of enum
// ibv_qp_create_send_ops_flags.
var SendOpFlags = Flags[SendOps]{"send_ops_flags", "IBV_QP_EX_WITH_", map[int]string{
	0: "RDMA_WRITE", 1: "RDMA_WRITE_WITH_IMM", 2: "SEND", 3: "SEND_WITH_IMM", 4: "RDMA_READ", 5: "ATOMIC_CMP_AND_SWP",
	6: "ATOMIC_FETCH_AND_ADD", 7: "LOCAL_INV", 8: "BIND_MW", 9: "SEND_WITH_INV", 10: "TSO",
	11: "FLUSH", 12: "ATOMIC_WRITE",
}}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (o SendOps) String() string { return SendOpFlags.Name(o) }

// MarshalText is String, for JSON.
func (o SendOps) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// sendOps maps each opcode to its bit, by name, if it has one.
var sendOps = func() map[WROpcode]SendOps {
	all := map[WROpcode]SendOps{}
	for _, op := range WROpcodes.Values() {
		if bit, err := SendOpFlags.Parse(op.String()); err == nil {
			all[op] = bit
		}
	}
	return all
}()

// SendOp returns the opcode's bit, 0 if it has none.
func (o WROpcode) SendOp() SendOps { return sendOps[o] }

// Call returns the name of the C function that creates such a queue pair.
func (s *QPSpec) Call() string {
	if s.SendOps != 0 {
		return "ibv_create_qp_ex"
	}
	return "ibv_create_qp"
}

// Has reports whether requests with the opcode are posted by ibv_wr_*.
func (o SendOps) Has(op WROpcode) bool { return o&sendOps[op] != 0 }

// Lack returns an error if the operation can only be posted by ibv_wr_* and is not in
// the set: struct ibv_send_wr has no fields for it.
func (o SendOps) Lack(op WROpcode) error {
	if t := op.Traits(); !t.Flush && !t.Copied || o.Has(op) {
		return nil
	}
	return &UnsupportedError{
		Feature: op.String() + " by ibv_post_send", Requires: "a queue pair created with send_ops_flags=" + op.String(),
	}
}
