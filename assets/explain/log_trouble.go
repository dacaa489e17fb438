package explain

import (
	"regexp"
	"slices"
	"strings"
)

// troubleBegins are what words begin with that tell of trouble where nothing is said to have failed, troubleWords such
// words.
var (
	troubleBegins = []string{"exceed", "mismatch", "missing", "reject", "disconnect", "truncat", "overrun", "overflow",
		"corrupt", "malform", "incompat", "unknown", "unexpected", "expire", "exhaust", "timeout", "illegal", "wrong",
		"violat", "conflict", "unrecogniz", "undefined", "inconsist", "incorrect", "disagree", "unhandled",
		"undeclared", "underflow", "premature", "insufficient", "unavailab", "segfault", "underrun",
		"downgrad", "degrad", "evict", "unaligned", "misaligned"}
	troubleWords = []string{"bad", "cannot", "lost", "stuck", "hang", "hung", "dead", "down", "leak", "broken",
		"inactive", "doesn", "isn", "nak", "beyond", "fault", "differs", "crash", "lack", "storm",
		"stormed", "lossy", "deadlock", "swiotlb", "race", "unsafe", "unlocked", "kasan", "ubsan", "oops",
		"sigsegv", "sigbus", "sigabrt", "blocked", "lacks", "missed", "duplicate", "duplicated"}
	// troublePhrases are such words beside each other.
	troublePhrases = phrases(
		"never", "arrived received came completed returned", "still", "open in", "no", "heartbeat heartbeats",
		"lower", "than", "slower", "than", "narrower", "than", "capable", "false", "no", "remote response reply answer provider providers suitable matching usable active route path gid gids "+
			"lid memory space resource resources transport transports components credits recv receive hca hcas nic nics "+
			"device devices adapter interface interfaces listener permission compatible available eligible carrier "+
			"support room",
		"not", "loaded running alive active ready match matching allowed permitted reachable usable valid exist "+
			"understood recognized receive received connected able",
		"too", "short long many few low high old new late slow", "limit", "reached hit", "fall", "back",
		"falling", "back", "closed", "by before unexpectedly", "before", "handshake", "flush", "error",
		"null", "pointer", "used", "up", "max", "hit reached exceeded", "gave", "up", "giving", "up", "went", "wrong")
)

// phrases reads pairs of words: a first one, then all that may follow it.
func phrases(table ...string) (pairs [][]string) {
	for i := 0; i+1 < len(table); i += 2 {
		for second := range strings.FieldsSeq(table[i+1]) {
			pairs = append(pairs, []string{table[i], second})
		}
	}
	return pairs
}

// warnings are the marks of loggers by which a line is a warning, whatever its words.
var warnings = []string{"warn", "warning"}

// permits are words by which a line says that "only" something else is possible.
var permits = []string{"supported", "allowed", "permitted"}

// finePhrases are words beside each other by which a line says that nothing failed.
var finePhrases = [][]string{{"no", "error"}, {"no", "errors"}, {"0", "errors"}, {"without", "error"},
	{"no", "problems"}, {"no", "problem"}, {"no", "issues"}, {"no", "warnings"}}

// troubled reports that something failed in the line, or is not as it should be.
func troubled(l *logLine) bool {
	if !l.kinds.hasAny(wordTrouble) {
		return false
	}
	if hasAnyPhrase(l.words, finePhrases) || l.has("successfully") && !l.saysFailed() {
		return false
	}
	return l.saysFailed() || hasAnyPhrase(l.words, troublePhrases) || l.has(troubleWords...) ||
		l.has(warnings...) || l.has("only") && l.has(permits...) ||
		slices.ContainsFunc(l.words, func(w string) bool {
			return slices.ContainsFunc(troubleBegins, func(b string) bool { return strings.HasPrefix(w, b) })
		})
}

// rdmaWords are words of lines that are about RDMA, though they name neither it nor a part of the kernel.
var rdmaWords = []string{"qp", "qps", "cq", "cqs", "srq", "cqe", "wqe", "wqes", "qpn", "rkey", "lkey", "mkey", "gid",
	"sgid", "dgid", "pkey", "qkey", "rnr", "hca", "rnic", "umem", "rdmacm", "cma", "lnet", "ko2iblnd", "ipoib",
	"srp", "srpt", "rtrs", "rds", "sriov", "umad", "mad", "opensm", "psm", "psm2", "psm3", "siw", "rxe", "ipath",
	"qib", "hfi", "hfi1", "btl", "btls", "ibgda", "memh", "pfc", "pfcwd", "opx", "ucc", "hcoll", "gdrcopy", "gdrdrv",
	"peermem", "nvidia_peermem", "nv_peer_mem", "sminfo", "perfquery", "saquery", "smpquery", "smcr", "ucp", "uct",
	"ucs", "cm", "mana", "hwc", "vbuf", "max_rd_atomic", "max_dest_rd_atomic", "max_send_wr", "max_recv_wr",
	"max_inline_data", "max_send_sge", "retry_cnt", "rnr_retry", "min_rnr_timer"}

// mftMark is how the tools for firmware and fabrics of NVIDIA, as flint and ibdiagnet, begin errors and warnings.
var mftMark = regexp.MustCompile(`^-[EW]- `)

// nearWords are words of lines that may be about RDMA, though others have them too.
var nearWords = []string{"peer", "peers", "remote", "rank", "ranks", "transfer", "transfers", "endpoint",
	"endpoints", "fabric", "fabrics", "transport", "transports", "link", "links", "port", "ports", "network", "nic",
	"nics", "gpu", "gpus", "memlock", "ulimit", "pinned", "hugepages", "registers", "firmware", "fw", "pcie", "nvme",
	"socket", "bind", "adapter", "components", "provider", "providers", "segment", "session", "van", "instance",
	"prefill", "kvcache", "agent", "shmem", "memheap", "segmentation", "component", "msg", "completion",
	"completions", "cuda", "dmabuf", "mr", "mrs", "vf", "vfs", "mtu", "memory", "page", "pages", "pci", "vfio", "iommu",
	"passthrough"}
