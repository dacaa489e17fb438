package abi

import (
	"bytes"
	"testing"
	"unsafe"
)

func TestSendWRUnions(t *testing.T) {
	tests := []struct {
		name string
		set  func(*SendWR)
		want []byte // bytes 36..72 of the struct
	}{
		{"imm is big endian", func(w *SendWR) { w.SetImm(0x01020304) },
			cat([]byte{1, 2, 3, 4}, make([]byte, 32))},
		{"invalidate_rkey is host order", func(w *SendWR) { w.SetInvalidateRKey(0x01020304) },
			cat([]byte{4, 3, 2, 1}, make([]byte, 32))},
		{"rdma", func(w *SendWR) { w.SetRDMA(SendRDMA{RemoteAddr: 0x1122, RKey: 0x33}) },
			cat(make([]byte, 4), []byte{0x22, 0x11, 0, 0, 0, 0, 0, 0, 0x33}, make([]byte, 23))},
		{"atomic", func(w *SendWR) { w.SetAtomic(SendAtomic{RemoteAddr: 1, CompareAdd: 2, Swap: 3, RKey: 4}) },
			cat(make([]byte, 4), le64(1), le64(2), le64(3), le64(4))},
		{"ud", func(w *SendWR) { w.SetUD(SendUD{AH: 5, RemoteQPN: 6, RemoteQKey: 7}) },
			cat(make([]byte, 4), le64(5), []byte{6, 0, 0, 0, 7, 0, 0, 0}, make([]byte, 16))},
		{"bind_mw takes stale immediate data away", func(w *SendWR) {
			w.SetImm(1)
			w.SetBindMW(SendBindMW{})
		}, make([]byte, 36)},
		{"a later kind leaves nothing of an earlier one", func(w *SendWR) {
			w.SetAtomic(SendAtomic{RemoteAddr: 1, CompareAdd: 2, Swap: 3, RKey: 4})
			w.SetRDMA(SendRDMA{RemoteAddr: 5, RKey: 6})
		}, cat(make([]byte, 4), le64(5), le64(6), make([]byte, 16))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w SendWR
			tt.set(&w)
			raw := unsafe.Slice((*byte)(unsafe.Pointer(&w)), unsafe.Sizeof(w))
			if got := raw[36:72]; !bytes.Equal(got, tt.want) {
				t.Errorf("bytes 36 to 72\n got % x\nwant % x", got, tt.want)
			}
			if rest := cat(raw[:36], raw[72:]); !bytes.Equal(rest, make([]byte, len(rest))) {
				t.Errorf("wrote outside the union: % x", rest)
			}
		})
	}
}

func TestWCImmediate(t *testing.T) {
	w := WC{ImmData: [4]byte{1, 2, 3, 4}}
	if got := w.Imm(); got != 0x01020304 {
		t.Errorf("Imm = %#x, want network order read as %#x", got, 0x01020304)
	}
	if got := w.InvalidatedRKey(); got != 0x04030201 {
		t.Errorf("InvalidatedRKey = %#x, want host order %#x", got, 0x04030201)
	}
}

func TestAsyncEventPortNum(t *testing.T) {
	e := AsyncEvent{Element: 0xffffffff_00000002}
	if got := e.PortNum(); got != 2 {
		t.Errorf("PortNum = %d, want 2 whatever lies above it", got)
	}
}

func TestCString(t *testing.T) {
	tests := []struct{ in, want string }{
		{"rxe0\x00\x00\x00", "rxe0"},
		{"\x00rubbish", ""},
		{"full", "full"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := CString([]byte(tt.in)); got != tt.want {
			t.Errorf("CString(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func cat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func le64(v byte) []byte { return []byte{v, 0, 0, 0, 0, 0, 0, 0} }
