package bench

import "fmt"

// Verb is the operation that a test measures.
type Verb uint8

// Operations.
const (
	Write Verb = iota
	Read
	Send
	Atomic
)

// verbNames holds the name of each operation in a command and in a report.
var verbNames = [...]struct{ command, report string }{
	Write: {"write", "RDMA_Write"}, Read: {"read", "RDMA_Read"}, Send: {"send", "Send"}, Atomic: {"atomic", "Atomic"},
}

// Report returns the name of the operation in reports.
func (v Verb) Report() string { return verbNames[v].report }

// Test is one of perftest's programs.
type Test struct {
	Verb    Verb
	Latency bool // false: bandwidth
}

// Tests lists all tests, in the order in which help shows them.
var Tests = []Test{
	{Send, true}, {Send, false}, {Write, true}, {Write, false}, {Read, true}, {Read, false},
	{Atomic, true}, {Atomic, false},
}

// String returns the test's name as a command: "write-bw".
func (t Test) String() string { return verbNames[t.Verb].command + "-" + t.kind() }

// Stock returns the name of perftest's program: "ib_write_bw".
func (t Test) Stock() string { return "ib_" + verbNames[t.Verb].command + "_" + t.kind() }

func (t Test) kind() string {
	if t.Latency {
		return "lat"
	}
	return "bw"
}

// Named returns the test with a name such as "write-bw".
func Named(name string) (Test, error) {
	for _, t := range Tests {
		if t.String() == name {
			return t, nil
		}
	}
	return Test{}, fmt.Errorf("%q is not a test", name)
}

// OneSided reports whether only the client posts requests, unless both ends do: the
// server's CPU takes no part.
func (t Test) OneSided() bool {
	return t.Verb != Send && !(t.Verb == Write && t.Latency)
}

// Ways returns how many one-way trips a latency sample spans: reports of SEND and WRITE
// show half of the round trip, those of READ and atomics all of it.
func (t Test) Ways() int {
	if t.Verb == Send || t.Verb == Write {
		return 2
	}
	return 1
}
