package devices

import (
	"fmt"

	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
)

// memoryEnough is a budget that the usual first programs do not reach, in bytes.
const memoryEnough = 64 << 20

func checkMemory(*examination) []Finding {
	return memoryFinding(memory.OfProcess())
}

func memoryFinding(b *memory.Budget) []Finding {
	f := Finding{
		Status:  OK,
		Looked:  fmt.Sprintf("memory budget: %s, %s", format.Size(b.Limit()), b.Reason()),
		Meaning: "reg_mr, and create_qp, create_cq and create_srq of a software device, fail with ENOMEM once more than that is taken",
	}
	if b.Limit() < memoryEnough {
		f.Status, f.Next = Warn, "start rdmatui where more memory is available: ulimit -v unlimited, or a higher limit of the control group"
	}
	return []Finding{f}
}
