package devices

import (
	"fmt"

	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
)

// memoryEnough is a budget, in bytes, that typical first programs do not reach.
const memoryEnough = 64 << 20

func checkMemory(*examination) []Finding {
	return memoryFinding(memory.OfProcess())
}

func memoryFinding(b *memory.Budget) []Finding {
	f := Finding{
		Status:  OK,
		Looked:  fmt.Sprintf("memory budget: %s, %s", format.Size(b.Limit()), b.Reason()),
		Meaning: "beyond it reg_mr fails with ENOMEM, and on software devices also create_qp, create_cq and create_srq",
	}
	if b.Limit() < memoryEnough {
		f.Status, f.Next = Warn,
			"start rdmatui with more memory: ulimit -v unlimited, or a higher limit for its control group"
	}
	return []Finding{f}
}
