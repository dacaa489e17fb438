package explain

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// spokenVerbs are verbs in words, as logs have them.
var spokenVerbs = map[string]string{
	"modify qp": "ibv_modify_qp", "modify queue pair": "ibv_modify_qp",
	"create qp": "ibv_create_qp", "create queue pair": "ibv_create_qp",
	"create cq": "ibv_create_cq", "create completion queue": "ibv_create_cq",
	"create completion": "ibv_create_comp_channel",
	"create srq":        "ibv_create_srq", "create ah": "ibv_create_ah",
	"register memory": "ibv_reg_mr", "register mr": "ibv_reg_mr", "reg mr": "ibv_reg_mr", "allocate mr": "ibv_reg_mr",
	"allocate pd": "ibv_alloc_pd", "alloc pd": "ibv_alloc_pd", "allocate protection domain": "ibv_alloc_pd",
	"open device": "ibv_open_device", "query gid": "ibv_query_gid",
	"post send": "ibv_post_send", "post recv": "ibv_post_recv", "post receive": "ibv_post_recv",
	"resolve addr": "rdma_resolve_addr", "resolve address": "rdma_resolve_addr", "resolve route": "rdma_resolve_route",
	"bind addr": "rdma_bind_addr", "bind address": "rdma_bind_addr",
	"qp creation": "ibv_create_qp", "queue pair creation": "ibv_create_qp", "cq creation": "ibv_create_cq",
	"mr registration": "ibv_reg_mr", "memory registration": "ibv_reg_mr", "umem get": "ibv_reg_mr",
}

// verbForms are forms in which logs have the first word of a verb.
var verbForms = map[string]string{
	"allocating": "allocate", "binding": "bind", "creating": "create", "modifying": "modify", "opening": "open",
	"posting": "post", "querying": "query", "registering": "register", "resolving": "resolve",
}

// shortVerbs are names of functions that do what a verb does, as drivers and libraries call them.
var shortVerbs = map[string]string{"rdma_bind": "rdma_bind_addr", "ib_umem_get": "ibv_reg_mr"}

// managerVerbs are what lines about RDMA may call verbs of the connection manager by.
var managerVerbs = map[string]string{
	"bind": "rdma_bind_addr", "binding": "rdma_bind_addr", "listen": "rdma_listen",
	"listening": "rdma_listen", "accept": "rdma_accept",
}

// beforeObjects are words that stand between a verb and its object: "create the RC QP".
var beforeObjects = []string{"a", "an", "the", "new", "rc", "uc", "ud", "dc", "xrc", "ib", "rdma"}

// verbBegins are what stands before the name of a verb in a log, the longest first.
var verbBegins = []string{"wrap_ibv_", "wrap_direct_ibv_", "ibv_exp_", "ibv_cmd_", "mlx5dv_", "mlx5_ib_",
	"ibv_", "rdma_", "ib_", ""}

// call reads a verb and its errno, wherever they stand.
func (l *logLine) call() []finding {
	errno := l.errno()
	if errno == nil {
		return nil
	}
	verb := l.verb()
	if verb == "" {
		return nil
	}
	e := l.find("verb_errno", verb+" "+errno.Name)
	if e == nil {
		e = errno
	}
	found := cause(true, e)
	if verb == "ibv_modify_qp" {
		if move := l.transition(); move != nil {
			found = append(found, beside(move)...)
		}
	}
	return found
}

func (l *logLine) facts() *said {
	if l.said == nil {
		l.said = &said{errnoAlone: l.findErrnoAlone()}
		l.said.errno = l.findErrno(l.said.errnoAlone)
		l.said.verb = l.findVerb(l.said.errno)
	}
	return l.said
}

// verb is the verb of the line as verb_errno has it, "" where there is none.
func (l *logLine) verb() string { return l.facts().verb }

// errno is the errno that a line with a verb tells, nil where there is none.
func (l *logLine) errno() *Entry { return l.facts().errno }

// errnoAlone is the errno that any line tells, nil where there is none.
func (l *logLine) errnoAlone() *Entry { return l.facts().errnoAlone }

// findVerb takes the first verb, and rather one that the errno is known of.
func (l *logLine) findVerb(errno *Entry) (first string) {
	for i := range l.words {
		v := l.verbAt(i)
		if v == "" {
			continue
		}
		if first == "" {
			first = v
		}
		if errno != nil && l.find("verb_errno", v+" "+errno.Name) != nil {
			return v
		}
	}
	if at := slices.IndexFunc(l.words, func(w string) bool { return managerVerbs[w] != "" }); first == "" &&
		at >= 0 && l.aboutRDMA() {
		return managerVerbs[l.words[at]]
	}
	return first
}

// rdmaBegins are what words about RDMA begin with, beside those that have rdma in them.
var rdmaBegins = []string{"ib_", "ibv_", "infiniband", "iser", "kiblnd", "o2ib", "smb_direct"}

// aboutRDMA reports that the line names RDMA, or a part of the kernel that uses it.
func (l *logLine) aboutRDMA() bool {
	return slices.ContainsFunc(l.words, func(w string) bool {
		return strings.Contains(w, "rdma") || slices.ContainsFunc(rdmaBegins, func(begin string) bool {
			return strings.HasPrefix(w, begin)
		})
	})
}

func (l *logLine) verbAt(i int) string {
	spoken := make([]string, 1, 3)
	spoken[0] = cmp.Or(verbForms[l.words[i]], l.words[i])
	for _, w := range l.words[i+1:] {
		if !slices.Contains(beforeObjects, w) {
			spoken = append(spoken, w)
		}
		if len(spoken) == 3 {
			break
		}
	}
	for ; len(spoken) > 1; spoken = spoken[:len(spoken)-1] {
		if v := spokenVerbs[strings.Join(spoken, " ")]; v != "" {
			return v
		}
	}
	word := strings.TrimLeft(l.words[i], "_")
	if !strings.Contains(word, "_") {
		return ""
	}
	if v := shortVerbs[word]; v != "" {
		return v
	}
	for _, begin := range verbBegins {
		rest, ok := strings.CutPrefix(word, begin)
		for ok && rest != "" {
			for _, full := range []string{begin + rest, "ibv_" + rest, "rdma_" + rest} {
				if l.x.verbs[full] {
					return full
				}
			}
			at := strings.LastIndexByte(rest, '_') // ibv_create_qp_ex, ibv_reg_mr_iova2
			rest = rest[:max(at, 0)]
		}
	}
	return ""
}

var (
	// saysErrno are words before the number of an errno.
	saysErrno = []string{"errno", "error", "err", "ret", "rc", "returned", "return", "with", "failed", "status"}
	// noErrnos are words before other numbers.
	noErrnos = []string{"len", "length", "qp", "qpn", "qp_num", "cqe", "size", "address", "addr", "line", "syndrome",
		"qid", "on", "dev", "opcode", "wr_id", "vendor"}
)

// findErrno takes what can be nothing else, else a number after a word such as error.
func (l *logLine) findErrno(alone *Entry) *Entry {
	if alone != nil {
		return alone
	}
	if n, ok := l.keyed(saysErrno, noErrnos, 3, l.isErrno); ok {
		return l.x.errnos[max(n, -n)][0]
	}
	return nil
}

// findErrnoAlone takes an errno's text or name, else a number after errno, else one below 0.
func (l *logLine) findErrnoAlone() *Entry {
	keys := l.family("errno").keys
	for i := range l.words {
		if entries, n := keys.match(l.words[i:]); n > 1 || n == 1 && strings.HasPrefix(l.words[i], "e") {
			return entries[0]
		}
	}
	if n, ok := l.keyed([]string{"errno"}, nil, 3, l.isErrno); ok {
		return l.x.errnos[max(n, -n)][0]
	}
	for _, w := range l.words {
		n, ok := number(w)
		if n > math.MaxInt32 && n <= math.MaxUint32 {
			n = int64(int32(n)) // 0xfffffff4 is -12
		}
		if ok && n < 0 && l.isErrno(n) {
			return l.x.errnos[-n][0]
		}
	}
	return nil
}

// isErrno leaves out 1 and -1, which mostly are a program's own.
func (l *logLine) isErrno(n int64) bool {
	return n != 1 && n != -1 && n != math.MinInt64 && len(l.x.errnos[max(n, -n)]) > 0
}

// transition is the move of the queue pair that the line names: "curr state INIT,
// next state RTR", "to RTR".
func (l *logLine) transition() *Entry {
	before := map[string]string{"init": "reset", "rtr": "init", "rts": "rtr"}
	var states []string
	for _, w := range l.words {
		if w == "reset" || before[w] != "" {
			states = append(states, w)
		}
	}
	switch len(states) {
	case 0:
		return nil
	case 1:
		states = []string{before[states[0]], states[0]}
	}
	if e := l.family("transition").keys.of[states[0]+"_"+states[1]]; len(e) > 0 {
		return e[0]
	}
	return nil
}
