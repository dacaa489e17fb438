package verbs

// SendOps is a set of operations that a queue pair is to take by ibv_wr_start and
// what follows it; ibv_create_qp_ex(3), ibv_wr_post(3).
type SendOps uint64

// SendOpFlags names the operations; the bits are those of enum
// ibv_qp_create_send_ops_flags.
var SendOpFlags = Flags[SendOps]{"send_ops_flags", "IBV_QP_EX_WITH_", map[int]string{
	0: "RDMA_WRITE", 1: "RDMA_WRITE_WITH_IMM", 2: "SEND", 3: "SEND_WITH_IMM", 4: "RDMA_READ", 5: "ATOMIC_CMP_AND_SWP",
	6: "ATOMIC_FETCH_AND_ADD", 7: "LOCAL_INV", 8: "BIND_MW", 9: "SEND_WITH_INV", 10: "TSO", 11: "FLUSH", 12: "ATOMIC_WRITE",
}}

// String returns the names of the set flags joined by "|", without the C prefix.
func (o SendOps) String() string { return SendOpFlags.Name(o) }

// MarshalText is String, for JSON.
func (o SendOps) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// sendOps is the bit of each opcode that has one. The names are the same.
var sendOps = func() map[WROpcode]SendOps {
	all := map[WROpcode]SendOps{}
	for _, op := range WROpcodes.Values() {
		if bit, err := SendOpFlags.Parse(op.String()); err == nil {
			all[op] = bit
		}
	}
	return all
}()

// SendOp returns the bit of an opcode, 0 where it has none.
func (o WROpcode) SendOp() SendOps { return sendOps[o] }

// Call is the C function that makes such a queue pair.
func (s *QPSpec) Call() string {
	if s.SendOps != 0 {
		return "ibv_create_qp_ex"
	}
	return "ibv_create_qp"
}

// Has reports whether requests of an opcode are posted by ibv_wr_*.
func (o SendOps) Has(op WROpcode) bool { return o&sendOps[op] != 0 }

// Lack returns an error where an operation can only be posted by ibv_wr_*, and is
// not in the set: struct ibv_send_wr has no fields for it.
func (o SendOps) Lack(op WROpcode) error {
	if t := op.Traits(); !t.Flush && !t.Copied || o.Has(op) {
		return nil
	}
	return &UnsupportedError{Feature: op.String() + " by ibv_post_send", Requires: "a queue pair created with send_ops_flags=" + op.String()}
}
