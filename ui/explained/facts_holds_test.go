package explained_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rdmatui/assets/explain"
	"rdmatui/session/bench"
	"rdmatui/session/lab"
	"rdmatui/ui/store"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/transition"
	"rdmatui/verbs/wire"
)

// unless returns "" if a statement is right, else what it should say.
func unless(right bool, want ...any) string {
	if right {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintln(want...))
}

func number(s string) uint64 {
	n, err := strconv.ParseUint(strings.ReplaceAll(s, ",", ""), 0, 64)
	if err != nil {
		return math.MaxUint64
	}
	return n
}

// is holds each group that is there against a number.
func is[T verbs.Integer | ~int](want T) func(string, []string) string {
	return func(_ string, m []string) string {
		for _, s := range m[1:] {
			if s != "" && number(s) != uint64(want) {
				return fmt.Sprint(want)
			}
		}
		return ""
	}
}

// same holds two groups against each other.
func same(a, b int) func(string, []string) string {
	return func(_ string, m []string) string { return unless(m[a] == m[b], m[b]) }
}

// rounded holds the time in group at, with its unit in the next one, against that of the code in group code: it must be
// the time, rounded to the digits that are given.
func rounded(of func(uint8) time.Duration, code, at int) func(string, []string) string {
	return func(_ string, m []string) string {
		want := of(uint8(number(m[code])))
		_, digits, _ := strings.Cut(m[at], ".")
		unit := map[string]time.Duration{"µs": time.Microsecond, "ms": time.Millisecond, "s": time.Second}[m[at+1]]
		text := strconv.FormatFloat(float64(want)/float64(unit), 'f', len(digits), 64)
		return unless(text == m[at], text, m[at+1])
	}
}

// largest holds the groups against the largest value of the attribute that the place is about.
func largest(place string, m []string) string {
	name := strings.Fields(place)[1]
	for part, attr := range map[string]string{
		"RETRY_C": "retry_cnt", "TIMEOUT": "timeout", "RNR_TIMER": "min_rnr_timer",
	} {
		if strings.Contains(name, part) {
			name = attr
		}
	}
	if strings.HasPrefix(place, "command") {
		name = strings.Fields(place)[2]
	}
	f := fields.QPNamed(name)
	if f == nil {
		return "a number of an attribute of a queue pair"
	}
	return is(f.Max)(place, m)
}

// width holds a number of bits against the type or the range of what the place is about.
func width(place string, m []string) string {
	name := strings.Fields(place)[1]
	want := widths[name]
	if name == "device_cap_flags_ex" {
		want = map[string]int{"short": 64 - 32, "means": 64}[strings.Fields(place)[2]]
	}
	if f := fields.QPNamed(name); want == 0 && f != nil {
		want = bits.Len64(f.Max)
	}
	return is(want)(place, m)
}

func typeBits[T any]() int { return 8 * int(reflect.TypeFor[T]().Size()) }

var widths = map[string]int{
	"QPN": bits.Len32(uint32(verbs.MaxQPN)), "PSN": bits.Len32(uint32(verbs.MaxPSN)),
	"remote_qpn": bits.Len32(uint32(verbs.MaxQPN)),
	"GID":        typeBits[verbs.GID](), "gid_entry.gid": typeBits[verbs.GID](),
	"GUID": typeBits[verbs.GUID](), "node_guid": typeBits[verbs.GUID](), "LID": 16, "P_Key": 16, "qkey": 32,
	"wr_id": 64, "compare_add": 64, "swap": 64, "phys_port_cnt": 8, "phys_port_cnt_ex": 8, "traffic_class": 6,
	"sl": 3, "trust": 3,
}

// pathMTU is the largest path MTU for an interface's MTU, after the headers.
func pathMTU(mtu, headers int) (most int) {
	for m := verbs.MTU256; m <= verbs.MTU4096; m++ {
		if m.Bytes()+headers <= mtu {
			most = m.Bytes()
		}
	}
	return most
}

// gives holds pairs of an interface's MTU and the path MTU.
func gives(headers int) func(string, []string) string {
	return func(_ string, m []string) string {
		want := pathMTU(int(number(m[1])), headers)
		return unless(number(m[2]) == uint64(want), want)
	}
}

// laneRates are the rates of a lane in Gbit/s; infiniband/verbs.h and the InfiniBand roadmap.
var laneRates = map[string]float64{
	"SDR": 2.5, "DDR": 5, "QDR": 10, "FDR10": 10, "FDR": 14, "EDR": 25, "HDR": 50, "NDR": 100, "XDR": 200,
}

var odpBits = map[string]uint64{
	"SEND": verbs.ODPSend, "RECV": verbs.ODPRecv, "WRITE": verbs.ODPWrite, "READ": verbs.ODPRead,
	"ATOMIC": verbs.ODPAtomic, "SRQ_RECV": verbs.ODPSRQRecv, "FLUSH": verbs.ODPFlush,
	"ATOMIC_WRITE": verbs.ODPAtomicWrite,
}

// addrErrnos are the errnos of ADDR_ERROR by the cause that the text tells.
var addrErrnos = map[string][]string{
	"the neighbour": {"ETIMEDOUT", "EHOSTUNREACH"}, "the route": {"ENODEV"}, "no route": {"ENETUNREACH"},
}

func addrErrno(_ string, m []string) string {
	var want []string // Linux's numbers, which a test of package cli holds against syscall
	for _, name := range addrErrnos[m[3]] {
		e, _ := explain.Find("errno", name)
		n, _ := e.Value()
		want = append(want, fmt.Sprint(n))
	}
	for _, s := range m[1:3] {
		if s != "" && !slices.Contains(want, s) {
			return strings.Join(want, " or ")
		}
	}
	return ""
}

// answers are the statuses that the requester gets for those of the responder; IBA 9.9.3.
var answers = map[string]verbs.WCStatus{
	"LOC_LEN_ERR": verbs.WCRemInvReqErr, "LOC_PROT_ERR": verbs.WCRemOpErr, "LOC_QP_OP_ERR": verbs.WCRemOpErr,
	"LOC_ACCESS_ERR": verbs.WCRemAccessErr,
}

func requesterGets(place string, m []string) string {
	want := answers[strings.Fields(place)[1]].String()
	return unless(m[1] == want, want)
}

// naks are the answers of the responder by the statuses that the requester gets; IBA 9.9.2.
var naks = map[string]wire.NAKCode{
	"REM_INV_REQ_ERR": wire.NAKInvalidRequest, "REM_ACCESS_ERR": wire.NAKRemoteAccess,
	"REM_OP_ERR": wire.NAKRemoteOperational,
}

func nak(place string, m []string) string {
	want := naks[strings.Fields(place)[1]].String()
	return unless(strings.TrimSuffix(want, " error") == strings.TrimSuffix(m[1], " error"), want)
}

// labHas looks for the group in what experiments specify whose requester gets the status of the place.
func labHas(of string) func(string, []string) string {
	return func(place string, m []string) string {
		seen := map[string]bool{}
		for _, e := range labOf(strings.Fields(place)[1]) {
			name, _, _ := strings.Cut(e.Specified(of), " ")
			seen[name] = true
		}
		return unless(seen[m[1]], slices.Sorted(maps.Keys(seen)))
	}
}

// labOf returns the experiments whose requester gets a status.
func labOf(status string) (some []*lab.Experiment) {
	all, _ := lab.Experiments()
	for _, e := range all {
		if slices.Contains(strings.Fields(e.Specified(lab.Requester)), status) {
			some = append(some, e)
		}
	}
	return some
}

func bothStates(place string, m []string) string {
	for _, e := range labOf(strings.Fields(place)[1]) {
		if a, b := e.Specified("a"), e.Specified("b"); a != m[1] || b != m[1] {
			return fmt.Sprintf("a in %s and b in %s, as in %s", a, b, e.Name)
		}
	}
	return ""
}

// experiment holds the group against what an experiment specifies.
func experiment(name, of string) func(string, []string) string {
	return func(_ string, m []string) string {
		e, err := lab.Find(name)
		if err != nil {
			return err.Error()
		}
		return unless(slices.Contains(strings.Fields(e.Specified(of)), m[1]), e.Specified(of))
	}
}

// statusWords are the specification's names of statuses; IBA 11.6.2.
var statusWords = map[string]verbs.WCStatus{
	"remote access error": verbs.WCRemAccessErr, "invalid request": verbs.WCRemInvReqErr,
	"remote operation error": verbs.WCRemOpErr, "protection error": verbs.WCLocProtErr,
	"local length error": verbs.WCLocLenErr, "local queue pair operation error": verbs.WCLocQPOpErr,
	"RNR retry counter exceeded": verbs.WCRNRRetryExcErr, "transport retry counter exceeded": verbs.WCRetryExcErr,
	"flush error": verbs.WCWRFlushErr,
}

// statusPattern finds the longest of statusWords first.
func statusPattern() string {
	words := slices.SortedFunc(maps.Keys(statusWords), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return strings.Join(words, "|")
}

// says holds the status that the words of an experiment name against those of both ends.
func says(place string, m []string) string {
	e, err := lab.Find(strings.Fields(place)[1])
	if err != nil {
		return err.Error()
	}
	both := e.Specified(lab.Requester) + " " + e.Specified(lab.Responder)
	return unless(slices.Contains(strings.Fields(both), statusWords[m[0]].String()), both)
}

// traits are what statements about an operation tell of it.
var traits = map[string]func(*verbs.WROpcodeTraits) bool{
	"needs remote_addr": func(t *verbs.WROpcodeTraits) bool { return t.Remote },
	"remote_addr must":  func(t *verbs.WROpcodeTraits) bool { return t.Remote },
	"consumes no RECV":  func(t *verbs.WROpcodeTraits) bool { return !t.NeedRecv },
	"peer's next RECV":  func(t *verbs.WROpcodeTraits) bool { return t.NeedRecv },
	"completes a RECV":  func(t *verbs.WROpcodeTraits) bool { return t.NeedRecv },
	"imm_data":          func(t *verbs.WROpcodeTraits) bool { return t.Imm },
	"invalidate_rkey":   func(t *verbs.WROpcodeTraits) bool { return t.Invalid },
	"SGE of 8":          func(t *verbs.WROpcodeTraits) bool { return t.Atomic && t.Receives },
}

func traitPattern() string { return strings.Join(slices.Sorted(maps.Keys(traits)), "|") }

func hasTrait(place string, m []string) string {
	op, err := verbs.WROpcodes.Parse(strings.Fields(place)[1])
	return unless(err == nil && traits[m[0]](op.Traits()), "what the operation takes")
}

// completes holds the operation that a completion is of against the operations of requests.
func completes(place string, m []string) string {
	op, err := verbs.WROpcodes.Parse(m[1])
	want := map[verbs.WROpcode]string{verbs.WRAtomicCmpAndSwp: "COMP_SWAP", verbs.WRAtomicFetchAndAdd: "FETCH_ADD"}[op]
	if want == "" {
		want = m[1]
	}
	return unless(err == nil && strings.Fields(place)[1] == want, want)
}

// optionalNames returns what may be changed by a transition, but for the attributes that always may.
func optionalNames(typ, move string) string {
	t, _ := verbs.QPTypes.Parse(typ)
	from, to, _ := strings.Cut(move, "→")
	a, _ := verbs.QPStates.Parse(from)
	b, _ := verbs.QPStates.Parse(to)
	found, _ := transition.Find(t, a, b)
	var names []string
	for bit := verbs.AttrMask(1); bit != 0 && bit <= found.Optional; bit <<= 1 {
		switch found.Optional & bit &^ (verbs.AttrCurState | verbs.AttrPathMigState) {
		case 0:
		case verbs.AttrAltPath:
			names = append(names, "the alternate path")
		default:
			names = append(names, fields.QPOf(bit)[0].Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func sorted(names string) string {
	all := strings.Split(names, ", ")
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// changes holds "RC: a, b. UD: c." against the attributes that are optional for each type.
func changes(place string, m []string) string {
	for _, typ := range []string{"RC", "UC", "UD"} {
		want := optionalNames(typ, strings.Fields(place)[1])
		for part := range strings.SplitSeq(strings.TrimSuffix(m[0], "."), ". ") {
			types, names, _ := strings.Cut(part, ": ")
			if slices.Contains(strings.Split(types, ", "), typ) && sorted(names) == want {
				want = ""
			}
		}
		if want != "" {
			return typ + ": " + want
		}
	}
	return ""
}

// mayChange holds "RC, UC need: nothing; a, b are optional".
func mayChange(place string, m []string) string {
	for _, typ := range strings.Split(m[1], ", ") {
		if want := optionalNames(typ, strings.Fields(place)[1]); sorted(m[2]) != want {
			return typ + ": " + want
		}
	}
	return ""
}

// forever holds the code that means forever: 0 of a timeout, else that of rnr_retry.
func forever(place string, m []string) string {
	if strings.Contains(place, "timeout") {
		return unless(m[1] == "0" && verbs.AckTimeout(0) == 0, 0)
	}
	return is(verbs.InfiniteRNRRetry)(place, m)
}

// inRange holds the value that is given to an attribute against its range.
func inRange(_ string, m []string) string {
	f := fields.QPNamed(m[1])
	if f == nil {
		return ""
	}
	err := f.Parse(new(verbs.QPAttr), m[2])
	return unless(err == nil, err)
}

// regionOf returns the length of the regions of an experiment.
func regionOf(place string) uint64 {
	e, err := lab.Find(strings.Fields(place)[1])
	if err != nil {
		return 0
	}
	text, _ := e.Script(lab.On("soft0"))
	return number(regexp.MustCompile(`reg_mr src .*length=(\d+)`).FindStringSubmatch(text)[1])
}

// transportOps are the operations that a connection or a datagram can carry, in words.
func transportOps(t wire.Transport) map[string]bool {
	has := map[string]bool{}
	for word, op := range map[string]wire.Operation{
		"SEND": wire.OpSend, "WRITE": wire.OpWrite, "READ": wire.OpRead, "atomics": wire.OpFetchAdd,
		"FLUSH": wire.OpFlush, "ATOMIC_WRITE": wire.OpAtomicWrite,
	} {
		_, ok := wire.FindOpcode(t, op, wire.Only, 0)
		has[word] = ok
	}
	return has
}

var wireTransports = map[string]wire.Transport{"RC": wire.RC, "UC": wire.UC, "UD": wire.UD}

func onlyRC(place string, _ []string) string {
	op := strings.TrimPrefix(strings.Fields(place)[1], "RDMA_")
	rc, uc, ud := transportOps(wire.RC)[op], transportOps(wire.UC)[op], transportOps(wire.UD)[op]
	return unless(rc && !uc && !ud, "RC", rc, "UC", uc, "UD", ud)
}

// transports holds "UC has SEND and WRITE, but no READ".
func transports(_ string, m []string) string {
	has := transportOps(wireTransports[m[1]])
	for word, ok := range has {
		said := slices.Contains(strings.FieldsFunc(m[3], func(r rune) bool { return r == ' ' || r == ',' }), word)
		if said && !ok || m[4] == word && ok || m[2] != "" && ok && !said {
			return fmt.Sprintf("%s: %v", word, ok)
		}
	}
	return ""
}

func cqMod(_ string, m []string) string {
	of := func(size uint64) int {
		p := bench.DefaultParams(bench.Test{Verb: bench.Write})
		p.CQMod, p.Size = 0, size
		return p.Settle().CQMod
	}
	most := number(m[3]) << 10
	return unless(of(most) == int(number(m[1])) && of(most+1) == int(number(m[2])), of(most), of(most+1))
}

// settingOf returns the setting of a name.
func settingOf(key string) (found store.Setting) {
	for _, s := range store.NewSettings(nil) {
		if s.Key == key {
			found = s
		}
	}
	return found
}

func setting(_ string, m []string) string {
	want := settingOf(m[1]).Default
	return unless(m[2] == want, want)
}

func mostOfSetting(_ string, m []string) string { return is(settingOf(m[1]).Most)("", m[1:]) }

func recorderMemory(_ string, m []string) string {
	s := settingOf("recorder")
	return unless(m[1] == fmt.Sprint(s.Least) && m[2] == fmt.Sprint(s.Most) && m[3] == s.Default, s.Least, s.Most,
		s.Default)
}

// flagged are changes of a test's parameters, by the entries that tell of their flags.
var flagged = map[string]func(*bench.Params){
	"message-size":    func(p *bench.Params) { p.Size++ },
	"test-duration":   func(p *bench.Params) { p.Duration = 1e9 },
	"test-iterations": func(p *bench.Params) { p.Iters++ },
	"tx-depth":        func(p *bench.Params) { p.TXDepth++ },
	"post_list":       func(p *bench.Params) { p.PostList++ },
	"cq-mod":          func(p *bench.Params) { p.CQMod++ },
	"inline_size":     func(p *bench.Params) { p.Inline++ },
	"bench-events":    func(p *bench.Params) { p.Events = true },
	"bidirectional":   func(p *bench.Params) { p.Bidirectional = true },
	"bench-rdma_cm":   func(p *bench.Params) { p.CM = true },
	"all-sizes":       func(p *bench.Params) { p.All = true },
}

func flagLetter(place string, m []string) string {
	p := bench.DefaultParams(bench.Test{Verb: bench.Write})
	change := flagged[strings.Fields(place)[1]]
	if change == nil {
		return "the flag of a parameter"
	}
	change(&p)
	flag, _, _ := strings.Cut(p.Flags(), " ")
	return unless(flag == m[1], flag)
}
