package ui

import (
	"flag"
	"fmt"
	"testing"
)

var everyBreak = flag.Bool("every-break", false, "break the objects before every step of each tour, not before one")

// breaks lists what a user may have done to the objects by commands, in no way that a tour asks for.
var breaks = []struct {
	name  string
	lines []string
}{
	{"one queue pair", []string{"destroy_qp b"}},
	{"the first queue pair is gone", []string{"destroy_qp a"}},
	{"both in ERR", []string{"modify_qp a ERR", "modify_qp b ERR"}},
	{"both in RESET", []string{"modify_qp a RESET", "modify_qp b RESET"}},
	{"one in RESET", []string{"modify_qp b RESET"}},
	{"each in RTS, with a peer that is not there", append(toNowhere("a"), toNowhere("b")...)},
	{"one in RTS, with a peer that is not there", toNowhere("b")},
	{"a third queue pair", []string{"create_qp c pd=pd send_cq=cq recv_cq=cq"}},
	{"a third queue pair in RTS, with a peer that is not there",
		append([]string{"create_qp c pd=pd send_cq=cq recv_cq=cq"}, toNowhere("c")...)},
	{"a datagram queue pair", []string{"create_qp u pd=pd send_cq=cq recv_cq=cq qp_type=UD"}},
}

// toNowhere lists the lines that bring a queue pair to RTS with the number of a queue pair that does not exist.
func toNowhere(qp string) []string {
	return []string{
		"modify_qp " + qp + " RESET", "modify_qp " + qp + " INIT", "modify_qp " + qp + " RTR dest_qp_num=9999",
		"modify_qp " + qp + " RTS",
	}
}

// TestBrokenSteps: whatever was done to the objects before a step, who does what the panel says comes to the end.
func TestBrokenSteps(t *testing.T) {
	for i, tr := range alone() {
		for j, b := range breaks {
			for at := range tr.Steps {
				if at != (i+j)%len(tr.Steps) && !*everyBreak {
					continue
				}
				t.Run(fmt.Sprint(tr.ID, "/", at, "/", b.name), func(t *testing.T) {
					t.Parallel()
					n := &newcomer{guided: newGuided(t, 80, 24, tr.ID)}
					n.before = func(step int) {
						if step == at {
							n.before = nil
							n.typed(b.lines...)
							n.did = append(n.did, b.lines...)
						}
					}
					n.take(nil)
				})
			}
		}
	}
}
