package transition

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// TestTransitionTableIsWhole counts the transitions that the kernel's table
// allows, to detect a row lost in an edit.
func TestTransitionTableIsWhole(t *testing.T) {
	want := map[string]string{
		"RESET": "RESET INIT",
		"INIT":  "RESET INIT RTR ERR",
		"RTR":   "RESET RTS ERR",
		"RTS":   "RESET RTS SQD ERR",
		"SQD":   "RESET RTS SQD ERR",
		"SQE":   "RESET RTS ERR",
		"ERR":   "RESET ERR",
	}
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		for from := verbs.QPReset; from <= verbs.QPErr; from++ {
			var got []string
			for _, s := range Next(typ, from) {
				got = append(got, s.String())
			}
			if g := strings.Join(got, " "); g != want[from.String()] {
				t.Errorf("%s from %s: %s, want %s", typ, from, g, want[from.String()])
			}
		}
	}
}

func TestCheck(t *testing.T) {
	const rcRTR = verbs.AttrState | verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN |
		verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
	tests := []struct {
		name    string
		typ     verbs.QPType
		from    verbs.QPState
		to      verbs.QPState
		mask    verbs.AttrMask
		missing verbs.AttrMask
		illegal verbs.AttrMask
		invalid bool
	}{
		{"RC init", verbs.RC, verbs.QPReset, verbs.QPInit,
			verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags, 0, 0, false},
		{"RC init without access", verbs.RC, verbs.QPReset, verbs.QPInit,
			verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort, verbs.AttrAccessFlags, 0, false},
		{"RC init with qkey", verbs.RC, verbs.QPReset, verbs.QPInit, verbs.AttrState | verbs.AttrPKeyIndex |
			verbs.AttrPort | verbs.AttrAccessFlags | verbs.AttrQKey, 0, verbs.AttrQKey, false},
		{"UD init wants qkey", verbs.UD, verbs.QPReset, verbs.QPInit, verbs.AttrState | verbs.AttrPKeyIndex |
			verbs.AttrPort | verbs.AttrAccessFlags, verbs.AttrQKey, verbs.AttrAccessFlags, false},
		{"RC rtr", verbs.RC, verbs.QPInit, verbs.QPRTR, rcRTR, 0, 0, false},
		{"UC rtr has no rd_atomic", verbs.UC, verbs.QPInit, verbs.QPRTR, rcRTR, 0,
			verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer, false},
		{"RC rtr lacks psn and av", verbs.RC, verbs.QPInit, verbs.QPRTR, rcRTR &^ (verbs.AttrRQPSN | verbs.AttrAV),
			verbs.AttrRQPSN | verbs.AttrAV, 0, false},
		{"UD rtr takes nothing", verbs.UD, verbs.QPInit, verbs.QPRTR, verbs.AttrState, 0, 0, false},
		{"init to rts", verbs.RC, verbs.QPInit, verbs.QPRTS, verbs.AttrState | verbs.AttrSQPSN, 0, 0, true},
		{"reset to err", verbs.RC, verbs.QPReset, verbs.QPErr, verbs.AttrState, 0, 0, true},
		{"anything to err", verbs.RC, verbs.QPRTS, verbs.QPErr, verbs.AttrState, 0, 0, false},
		{"err takes no attribute", verbs.RC, verbs.QPRTS, verbs.QPErr, verbs.AttrState | verbs.AttrSQPSN, 0,
			verbs.AttrSQPSN, false},
		{"sqe back to rts", verbs.UD, verbs.QPSQE, verbs.QPRTS, verbs.AttrState | verbs.AttrCurState, 0, 0, false},
		{"no state means stay", verbs.RC, verbs.QPRTS, verbs.QPRTS, verbs.AttrMinRNRTimer, 0, 0, false},
		{"stay in rtr is no move", verbs.RC, verbs.QPRTR, verbs.QPRTR, verbs.AttrMinRNRTimer, 0, 0, true},
		{"other types are not judged", verbs.RawPacket, verbs.QPReset, verbs.QPRTS, verbs.AttrState, 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Check(tt.typ, tt.from, verbs.QPAttr{Mask: tt.mask, QPState: tt.to})
			if tt.missing == 0 && tt.illegal == 0 && !tt.invalid {
				if err != nil {
					t.Fatalf("unexpected: %v", err)
				}
				return
			}
			var te *Error
			if !errors.As(err, &te) {
				t.Fatalf("got %v, want an Error", err)
			}
			if te.Missing != tt.missing || te.NotAllowed != tt.illegal || te.Invalid != tt.invalid {
				t.Errorf("missing %s, not allowed %s, invalid %v; want %s, %s, %v",
					te.Missing, te.NotAllowed, te.Invalid, tt.missing, tt.illegal, tt.invalid)
			}
		})
	}
}

func TestErrorTeaches(t *testing.T) {
	err := Check(verbs.RC, verbs.QPInit, verbs.QPAttr{
		Mask: verbs.AttrState | verbs.AttrQKey | verbs.AttrPathMTU, QPState: verbs.QPRTR,
	})
	for _, want := range []string{"INIT → RTR", "missing", "ah_attr (dgid", "dest_qp_num",
		"rq_psn", "not allowed qkey"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	err = Check(verbs.RC, verbs.QPInit, verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTS})
	if want := "from INIT: RESET, INIT, RTR, ERR"; !strings.Contains(err.Error(), want) {
		t.Errorf("%q lacks %q", err, want)
	}
}

// TestEveryMaskBitHasAField checks that every attribute that a transition
// requires has a field that a user can set.
func TestEveryMaskBitHasAField(t *testing.T) {
	for edge, byType := range transitions {
		for typ, tr := range byType {
			for bit := verbs.AttrMask(1); bit <= tr.Allowed(); bit <<= 1 {
				if tr.Allowed()&bit != 0 && len(fields.QPOf(bit)) == 0 {
					t.Errorf("%s %s → %s: no field brings %s", typ, edge.from, edge.to, bit)
				}
			}
			if both := tr.Required & tr.Optional; both != 0 {
				t.Errorf("%s %s → %s: %s is both required and optional", typ, edge.from, edge.to, both)
			}
		}
	}
}

func ExampleCheck() {
	attr := verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrPKeyIndex, QPState: verbs.QPInit}
	fmt.Println(Check(verbs.RC, verbs.QPReset, attr))
	// Output: RC RESET → INIT: missing qp_access_flags, port_num
}
