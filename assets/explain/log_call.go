package explain

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// actions are the words by which logs call the first word of a verb.
var actions = byName(map[string]string{
	"create": "create creating creation creat created make making setup initialize initialise init initializing intialize alloc allocate allocating " +
		"allocation allocated",
	"modify": "modify modifying modity modifiy modified modification transition transitioning move moving change " +
		"changing changed switch switching",
	"register": "register registering registration registered reg pin pinning map mapping",
	"query":    "query querying queried",
	"get":      "get getting",
	"post":     "post posting posted submit submitting",
	"resize":   "resize resizing resized",
	"open":     "open opening opened",
	"bind":     "bind binding bound",
	"resolve":  "resolve resolving resolution resolved",
	"destroy":  "destroy destroying destroyed free freeing dealloc deallocate deallocating",
	"dereg":    "deregister deregistering deregistration dereg unregister",
	"attach":   "attach attaching join joining",
	"poll":     "poll polling",
	"arm":      "arm arming request requesting notify",
	"connect":  "connect connecting connection",
	"close":    "close closing",
	"advise":   "advise prefetch prefetching",
	"detach":   "detach detaching leave leaving",
	"set":      "set setting",
	"wait":     "wait waiting",
})

// objects are the words by which logs call what a verb is about, with _ between them.
var objects = byName(map[string]string{
	"qp":      "qp qps queue_pair queue_pairs queuepair queuepairs qpair qpairs dct dci",
	"cq":      "cq cqs rcq scq completion_queue completion_queues completionqueue",
	"channel": "comp_channel completion_channel completion completion_event_channel",
	"srq":     "srq shared_receive_queue",
	"pd":      "pd protection_domain protection_domains",
	"mr":      "mr mrs memory_region memory_regions memoryregion mkey",
	"memory":  "memory mem buffer buffers buf user_memory gpu_memory host_memory",
	"dmabuf":  "dmabuf dma_buf dmabuf_mr",
	"dm":      "dm dev_mem device_mem device_memory",
	"umem":    "umem",
	"ah":      "ah address_handle",
	"mw":      "mw memory_window",
	"device":  "device dev ibdev ib_device rdma_device hca rnic device_context",
	"devices": "devices device_list devices_list hcas",
	"attrs":   "device_attr device_attribute device_attributes device_props device_properties",
	"gid":     "gid gids gid_index sgid",
	"port":    "port port_attr port_attributes",
	"pkey":    "pkey p_key",
	"send":    "send sends send_wr send_request send_work_request",
	"recv":    "recv recvs receive receives recv_wr recv_request receive_request receive_buffer receive_buffers rx",
	"srqrecv": "srq_recv",
	"addr":    "addr address addresses",
	"route":   "route routes",
	"id":      "cm_id rdma_id cmid id",
	"xrcd":    "xrcd xrc_domain",
	"flow":    "flow flow_rule flow_rules steering_rule",
	"ep":      "ep endpoint",
	"events":  "event_channel rdma_event_channel",
	"mcast":   "mcast multicast multicast_group",
	"notify":  "cq_notification notification",
})

// byName finds the keys of a table by the words that each has.
func byName(table map[string]string) map[string]string {
	found := map[string]string{}
	for key, names := range table {
		for n := range strings.FieldsSeq(names) {
			found[n] = key
		}
	}
	return found
}

// verbPairs are the actions and objects that verbs are spoken of by.
var verbPairs = map[string]string{
	"ibv_create_qp": "create qp", "ibv_modify_qp": "modify qp", "ibv_query_qp": "query qp",
	"ibv_destroy_qp": "destroy qp",
	"ibv_create_cq":  "create cq", "ibv_resize_cq": "resize cq", "ibv_poll_cq": "poll cq",
	"ibv_req_notify_cq": "arm cq, arm notify", "ibv_destroy_cq": "destroy cq",
	"ibv_create_comp_channel": "create channel",
	"ibv_create_srq":          "create srq", "ibv_modify_srq": "modify srq", "ibv_destroy_srq": "destroy srq",
	"ibv_alloc_pd": "create pd", "ibv_dealloc_pd": "destroy pd",
	"ibv_reg_mr":        "create mr, register mr, register memory, get umem",
	"ibv_dereg_mr":      "dereg mr, dereg memory, destroy mr",
	"ibv_reg_dmabuf_mr": "register dmabuf", "ibv_alloc_dm": "create dm", "ibv_create_flow": "create flow",
	"ibv_bind_mw": "bind mw", "ibv_dealloc_mw": "destroy mw", "ibv_open_xrcd": "open xrcd, create xrcd",
	"ibv_post_srq_recv": "post srq, post srqrecv", "ibv_get_device_list": "get devices, query devices",
	"ibv_close_device": "close device, destroy device", "ibv_advise_mr": "advise mr",
	"ibv_detach_mcast": "detach mcast",
	"ibv_create_ah":    "create ah", "ibv_destroy_ah": "destroy ah", "ibv_alloc_mw": "create mw",
	"ibv_open_device": "open device", "ibv_query_device": "query device, query attrs, get attrs",
	"ibv_query_port": "query port", "ibv_query_gid": "query gid, get gid", "ibv_query_pkey": "query pkey",
	"ibv_post_send": "post send", "ibv_post_recv": "post recv", "ibv_attach_mcast": "attach mcast",
	"rdma_bind_addr": "bind addr", "rdma_resolve_addr": "resolve addr", "rdma_resolve_route": "resolve route",
	"rdma_create_id": "create id", "rdma_create_event_channel": "create events",
}

// verbsOf are the verbs by their actions and objects.
var verbsOf = func() map[[2]string]string {
	found := map[[2]string]string{}
	for verb, pairs := range verbPairs {
		for pair := range strings.SplitSeq(pairs, ", ") {
			action, object, _ := strings.Cut(pair, " ")
			found[[2]string{action, object}] = verb
		}
	}
	return found
}()

// maxObject is how many words an object has.
const maxObject = 3

// shortVerbs are names of functions that do what a verb does, as drivers and libraries call them.
var shortVerbs = map[string]string{"rdma_bind": "rdma_bind_addr", "ib_umem_get": "ibv_reg_mr", "umem_get": "ibv_reg_mr"}

// managerVerbs are what lines about RDMA may call verbs of the connection manager by.
var managerVerbs = map[string]string{
	"bind": "rdma_bind_addr", "binding": "rdma_bind_addr", "listen": "rdma_listen",
	"listening": "rdma_listen", "accept": "rdma_accept", "connect": "rdma_connect", "connecting": "rdma_connect",
}

// socketWords are words of lines about sockets, whose calls have the names of those verbs.
var socketWords = []string{"fd", "socket", "sock", "tcp", "sockaddr", "sockfd"}

// beforeObjects are words that stand between a verb and its object: "create the RC QP".
var beforeObjects = wordLists["before objects"]

// heads are objects that other ones say more of: a QP flow is a flow.
var heads = []string{"flow", "channel", "notification", "srq"}

// afterObjects are words that stand between an object and its action: "CQ could not be created".
var afterObjects = []string{"could", "couldn", "can", "cannot", "t", "not", "be", "was", "were", "is", "failed", "to",
	"has", "been", "unable", "during", "context", "object"}

// verbBegins are what stands before the name of a verb in a log, the longest first.
var verbBegins = []string{"wrap_ibv_", "wrap_direct_ibv_", "ibv_exp_", "ibv_cmd_", "mlx5dv_", "mlx5_ib_",
	"ibv_", "rdma_", "ib_", ""}

// toRTR is the move that needs the peer's address.
const toRTR = "INIT→RTR"

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
	move := l.transition()
	if verb == "ibv_modify_qp" && move != nil && move.Name != toRTR && errno.Name == "ETIMEDOUT" {
		e = nil // what is known of it is of addresses, which only that move needs
	}
	found := cause(true, cmp.Or(e, errno))
	switch {
	case l.firmwareSilent():
		found[0].Here = "syndrome 0: the firmware refused nothing; the kernel or the library did, before it asked it"
	case e == nil:
		found[0].Failed = verb
		found[0].more = func(of *Entry) { sayCondition(l, of) }
	}
	if verb == "ibv_modify_qp" && move != nil {
		found = append(found, beside(move)...)
	}
	return found
}

func (l *logLine) facts() *said {
	if l.said == nil {
		l.said = &said{fails: l.kinds.hasAny(wordFail) && l.findFails()}
		if l.kinds.hasAny(wordErrno) && !ownNumber(l) {
			l.said.errnoAlone = l.findErrnoAlone()
		}
		if l.kinds.hasAny(wordMessage) {
			l.said.message = theMessages().match(l)
		}
		if !ownNumber(l) {
			l.said.errno = l.findErrno(l.said.errnoAlone)
		}
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

// findVerb takes the first verb, and rather one that the errno is known of. Where no name of a function is one, it
// takes the words in which people speak of verbs.
func (l *logLine) findVerb(errno *Entry) (first string) {
	if !l.kinds.namesVerb() {
		return ""
	}
	for i := range l.words {
		v := cmp.Or(l.x.verbNamed(l.words[i]), devxVerb(l.words[i:]), spokenVerb(l.words[i:]))
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
	if m := l.said.message; first == "" && m != nil {
		first = m.verb
	}
	if first == "" {
		first = l.verbInNames()
	}
	if first == "" && errno != nil && (l.has("rtr") || l.has("rts") && l.has("qp", "init", "state", "transition")) {
		return "ibv_modify_qp"
	}
	if at := slices.IndexFunc(l.words, func(w string) bool { return managerVerbs[w] != "" }); first == "" &&
		at >= 0 && errno != nil && l.aboutRDMA() && !l.has(socketWords...) && !strings.Contains(l.subject(), "_") {
		return managerVerbs[l.words[at]]
	}
	return first
}

// verbInNames is the verb that is spoken of in the parts of a name: "RegisterMemoryRegion", "nvmf_rdma_resize_cq".
func (l *logLine) verbInNames() string {
	for name := range strings.FieldsFuncSeq(l.text[:min(len(l.text), maxLineBytes)], notInName) {
		if strings.HasPrefix(name, devxBegin) {
			continue // its objects are not those of verbs
		}
		parts := nameParts(name)
		for i := range parts[:max(len(parts)-1, 0)] {
			if v := spokenVerb(parts[i:]); v != "" {
				return v
			}
		}
	}
	return ""
}

func notInName(r rune) bool {
	return r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
}

// devxBegin begins the names of the functions of DevX.
const devxBegin = "mlx5dv_devx_"

// devxVerb is the verb that makes the object which a function of DevX names: "mlx5dv_devx_obj_create(CQ)".
func devxVerb(words []string) string {
	if len(words) < 2 || !strings.HasPrefix(words[0], devxBegin) {
		return ""
	}
	action := words[0][strings.LastIndexByte(words[0], '_')+1:]
	object, _ := objectAt(words[1:])
	return verbsOf[[2]string{action, object}]
}

// nameParts are the words that a name in C or in C++ is made of.
func nameParts(name string) (parts []string) {
	if !strings.ContainsRune(name, '_') && strings.ToLower(name) == name || strings.EqualFold(name, "errno") ||
		strings.IndexByte(name, '_') == 1 { // P_Key is one word
		return nil
	}
	begin := 0
	for i := 1; i < len(name); i++ {
		upper := name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z'
		if upper || name[i] == '_' {
			parts = append(parts, strings.ToLower(strings.Trim(name[begin:i], "_")))
			begin = i
		}
	}
	parts = append(parts, strings.ToLower(strings.Trim(name[begin:], "_")))
	return slices.DeleteFunc(parts, func(p string) bool { return p == "" })
}

// rdmaBegins are what words about RDMA begin with, beside those that have rdma in them.
var rdmaBegins = wordLists["rdma begins"]

var rdmaByLetter = byLetter(rdmaBegins)

// aboutRDMA reports that the line names RDMA, or a part of the kernel that uses it.
func (l *logLine) aboutRDMA() bool {
	return l.kinds.hasAny(wordAbout) && slices.ContainsFunc(l.words, func(w string) bool {
		return strings.Contains(w, "rdma") || rdmaByLetter.begin(w)
	})
}

// spokenVerb is the verb that the words begin with: "create the RC QP", "CQ resize".
func spokenVerb(words []string) string {
	if action := actions[words[0]]; action != "" {
		for rest := words[1:]; len(rest) > 0; rest = rest[1:] {
			object, n := objectAt(rest)
			if after := rest[n:]; len(after) > 0 && slices.Contains(heads, after[0]) {
				object = objects[after[0]] // "create QP flow" makes a flow
			}
			if v := verbsOf[[2]string{action, object}]; v != "" {
				return v
			}
			if !slices.Contains(beforeObjects, rest[0]) && !allDigits(rest[0]) {
				break
			}
		}
		return ""
	}
	object, n := objectAt(words)
	if object == "" {
		return ""
	}
	for n < len(words) && slices.Contains(afterObjects, words[n]) {
		n++
	}
	if n == len(words) {
		return ""
	}
	return verbsOf[[2]string{actions[words[n]], object}]
}

// objectAt is the object of the longest name that the words begin with.
func objectAt(words []string) (object string, n int) {
	for n = min(maxObject, len(words)); n > 0; n-- {
		if o := objects[strings.Join(words[:n], "_")]; o != "" {
			return o, n
		}
	}
	return "", 0
}

func allDigits(w string) bool {
	_, ok := number(w)
	return ok
}

// verbNamed is the verb that a function's name has in it.
func (x *index) verbNamed(word string) string {
	word = strings.TrimLeft(word, "_")
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
				if x.verbs[full] {
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
	noErrnos = wordLists["no errnos"]
)

// ownNumbers are the names of libraries that number their errors in their own way.
var ownNumbers = []string{"doca"}

// findErrno takes what can be nothing else, else a number after a word such as error. What a verb returned counts
// rather than the text of errno, which it need not set.
func (l *logLine) findErrno(alone *Entry) *Entry {
	if n, ok := l.keyed([]string{"returned", "returns"}, noErrnos, 1, l.isErrno); ok && n > 0 && alone != nil &&
		slices.ContainsFunc(l.words, func(w string) bool { return strings.HasPrefix(w, "ibv_") }) {
		return l.x.errnos[n][0]
	}
	if alone != nil {
		return alone
	}
	if n, ok := l.keyed(saysErrno, noErrnos, 3, l.isErrno); ok && !l.has(ownNumbers...) {
		return l.x.errnos[max(n, -n)][0]
	}
	// a number at the end of an assertion about a call: "Check failed: !(r = ibv_modify_qp(qp, &attr, mask)) 101"
	n, ok := number(l.words[len(l.words)-1])
	if at := slices.IndexFunc(l.words, func(w string) bool { return l.x.verbNamed(w) != "" }); ok && at >= 0 &&
		l.isErrno(n) && l.has("check", "assertion", "assert") {
		return l.x.errnos[n][0]
	}
	return nil
}

// findErrnoAlone takes an errno's text or name, else a number after errno, else one below 0.
func (l *logLine) findErrnoAlone() *Entry {
	keys := l.family("errno").keys
	for i := range l.words {
		entries, n := keys.match(l.words[i:])
		if n > 1 || n == 1 && startsAlone(l.words[i][0]) {
			return entries[0]
		}
		if e := l.x.errnoInName(l.words[i]); e != nil {
			return e
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

// errnoAtEnd is the errno that a line has as its last word, where the word before says that it is an error.
func errnoAtEnd(l *logLine) *Entry {
	at := len(l.words) - 1
	if at < 1 || !slices.Contains(saysErrno, l.words[at-1]) || l.words[at-1] == "status" {
		return nil
	}
	n, ok := number(l.words[at])
	if !ok || n < minErrnoAtEnd || !l.isErrno(n) {
		return nil
	}
	return l.x.errnos[n][0]
}

// minErrnoAtEnd is the lowest number that is taken so: programs have small ones of their own.
const minErrnoAtEnd = 9

// errnoInName is the errno that a library's own name for it has in it: NA_HOSTUNREACH, DER_NOMEM, FI_EINVAL.
func (x *index) errnoInName(word string) *Entry {
	before, name, found := strings.Cut(word, "_")
	if !found || len(before) > maxNamePrefix || len(name) < minErrnoName {
		return nil
	}
	keys := x.context("errno").keys
	for _, k := range []string{name, "e" + name} {
		if e := keys.of[k]; len(e) > 0 && k[0] == 'e' {
			return e[0]
		}
	}
	return nil
}

// Lengths of the parts of such a name.
const (
	maxNamePrefix = 4
	minErrnoName  = 5
)

// startsAlone reports that an errno's name of one word begins so: ENOMEM, or in a script other than ours.
func startsAlone(first byte) bool { return first == 'e' || first >= utf8.RuneSelf }

// isErrno leaves out 1, -1, 3 and 7, which mostly are a program's own.
func (l *logLine) isErrno(n int64) bool {
	return n != 1 && n != -1 && n != 3 && n != 7 && n != math.MinInt64 && len(l.x.errnos[max(n, -n)]) > 0
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
