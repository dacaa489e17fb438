package verbs

import "math/bits"

// SendOps is the set of operations that a queue pair accepts through ibv_wr_start and
// the calls that follow it; ibv_create_qp_ex(3), ibv_wr_post(3).
type SendOps uint64

// SendOpFlags names the operations; the bits are those of enum
// ibv_qp_create_send_ops_flags.
var SendOpFlags = Flags[SendOps]{"send_ops_flags", "IBV_QP_EX_WITH_", sendOpNames()}

func sendOpNames() map[int]string {
	names := map[int]string{}
	for i := range wrOpcodes {
		if row := &wrOpcodes[i]; row.SendOp != 0 {
			names[bits.TrailingZeros64(uint64(row.SendOp))] = row.Name
		}
	}
	return names
}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (o SendOps) String() string { return SendOpFlags.Name(o) }

// MarshalText is String, for JSON.
func (o SendOps) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// SendOp returns the opcode's bit, 0 if it has none.
func (o WROpcode) SendOp() SendOps { return o.Traits().SendOp }

// Call returns the name of the C function that creates such a queue pair.
func (s *QPSpec) Call() string {
	if s.SendOps != 0 {
		return "ibv_create_qp_ex"
	}
	return "ibv_create_qp"
}

// Has reports whether requests with the opcode are posted by ibv_wr_*.
func (o SendOps) Has(op WROpcode) bool { return o&op.Traits().SendOp != 0 }

// Lack returns an error if the operation can only be posted by ibv_wr_* and is not in
// the set: struct ibv_send_wr has no fields for it.
func (o SendOps) Lack(op WROpcode) error {
	if !op.Traits().Placement() || o.Has(op) {
		return nil
	}
	return &UnsupportedError{
		Feature: op.String() + " by ibv_post_send", Requires: "a queue pair created with send_ops_flags=" + op.String(),
	}
}
