package command

import (
	"math"
	"slices"
	"strings"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
)

// sendField ties an argument of post_send to the opcodes that use it.
type sendField struct {
	name     string
	used     func(*verbs.WROpcodeTraits) bool
	required func(*verbs.WROpcodeTraits) bool // where it is used
}

func ofRemote(t *verbs.WROpcodeTraits) bool { return t.Remote }
func ofBind(t *verbs.WROpcodeTraits) bool   { return t.Bind }
func ofFlush(t *verbs.WROpcodeTraits) bool  { return t.Flush }
func always(*verbs.WROpcodeTraits) bool     { return true }
func never(*verbs.WROpcodeTraits) bool      { return false }

var sendFields = []sendField{
	{"sge", (*verbs.WROpcodeTraits).HasList, func(t *verbs.WROpcodeTraits) bool { return t.Copied }},
	{"remote_addr", ofRemote, always},
	{"rkey", func(t *verbs.WROpcodeTraits) bool { return t.Remote || t.Bind },
		func(t *verbs.WROpcodeTraits) bool { return !t.Bind }},
	{"imm_data", func(t *verbs.WROpcodeTraits) bool { return t.Imm }, always},
	{"invalidate_rkey", func(t *verbs.WROpcodeTraits) bool { return t.Invalid }, always},
	{"compare_add", func(t *verbs.WROpcodeTraits) bool { return t.Atomic }, always},
	{"swap", func(t *verbs.WROpcodeTraits) bool { return t.Swap }, always},
	{"mw", ofBind, never},
	{"mr", ofBind, never},
	{"addr", ofBind, never},
	{"length", func(t *verbs.WROpcodeTraits) bool { return t.Bind || t.Flush }, never},
	{"type", ofFlush, never},
	{"level", ofFlush, never},
	{"mw_access_flags", ofBind, never},
	{"count", repeats, never},
	{"outstanding", repeats, never},
	{"signal_every", repeats, never},
}

// repeats holds for the operations that can be done again with the same arguments: a window
// is bound or invalidated once, and then has another key.
func repeats(t *verbs.WROpcodeTraits) bool { return !t.Local() }

// Applies reports whether post_send takes an argument for an operation.
func Applies(name string, op verbs.WROpcode) bool {
	at := slices.IndexFunc(sendFields, func(f sendField) bool { return f.name == name })
	return at < 0 || sendFields[at].used(op.Traits())
}

// DatagramFields are the arguments of post_send that only datagrams have; ah may be left out where there is
// only one, the others must all be given.
var DatagramFields = []string{"ah", "remote_qpn", "remote_qkey"}

func checkPostSend(p *parser, c *Command) *syntax.Error {
	op := c.Opcode("opcode")
	if !c.IsResolved("opcode") {
		return nil
	}
	for _, f := range sendFields {
		v, given := c.value(f.name)
		used := f.used(op.Traits())
		if given && !used {
			e := p.errorAt(v, "%s does not apply to %s", f.name, op)
			e.Token, e.Hint = f.name, "it belongs to "+opcodesUsing(f)
			return e
		}
		if !given && used && f.required(op.Traits()) {
			a := c.Spec.Arg(f.name)
			e := p.missing("%s needs %s: %s", op, f.name, a.Doc)
			return e
		}
	}
	if e := checkFlushLength(p, c, op); e != nil {
		return e
	}
	return checkDatagramFields(p, c)
}

// checkFlushLength requires a length for a FLUSH of a range.
func checkFlushLength(p *parser, c *Command, op verbs.WROpcode) *syntax.Error {
	if !op.Traits().Flush || c.IsResolved("level") && c.Flush().Level == verbs.FlushMR {
		return nil
	}
	v, given := c.value("length")
	switch {
	case !given:
		return p.missing(
			"%s needs length: how many bytes from remote_addr on, or level=MR", op)
	case c.IsResolved("length") && c.Uint("length") > math.MaxUint32:
		return p.errorAt(v, "a FLUSH has at most %d bytes", uint32(math.MaxUint32))
	}
	return nil
}

// opcodesUsing lists the operations that use an argument, or the one or two that do not.
func opcodesUsing(f sendField) string {
	var with, without []string
	for _, op := range verbs.WROpcodes.Values() {
		switch t := op.Traits(); {
		case !t.Posted():
		case f.used(t):
			with = append(with, op.String())
		default:
			without = append(without, op.String())
		}
	}
	if len(without) <= 2 {
		return "all but " + strings.Join(without, " and ")
	}
	return strings.Join(with, ", ")
}

func checkDatagramFields(p *parser, c *Command) *syntax.Error {
	var given []string
	for _, name := range DatagramFields {
		if c.Has(name) {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		return nil
	}
	for _, name := range DatagramFields[1:] {
		if !slices.Contains(given, name) {
			return p.missing("a datagram with %s needs %s too: %s",
				strings.Join(given, " and "), name, c.Spec.Arg(name).Doc)
		}
	}
	return nil
}

// failedWCFields are all that is defined in a failed completion.
var failedWCFields = []string{"cq", "qp", "wr_id", "status", "vendor_err", "qp_num"}

// checkExpectWC refuses conditions on fields that a failed completion does not
// define, and an expect without conditions.
func checkExpectWC(p *parser, c *Command) *syntax.Error {
	if len(c.Values) == 0 {
		e := p.missing("expect wc needs at least one value to compare")
		e.Hint = "for example: " + c.Spec.Example
		return e
	}
	status := c.String("status")
	if status == "" || !c.IsResolved("status") || status == verbs.WCSuccess.String() {
		return nil
	}
	for i := range c.Values {
		v := &c.Values[i]
		if !slices.Contains(failedWCFields, v.Arg.Name) {
			e := p.errorAt(v, "%s is undefined in a completion with %s", v.Arg.Name, status)
			e.Token, e.Hint = v.Arg.Name, "a failed completion has only wr_id, status, vendor_err and qp_num"
			return e
		}
	}
	return nil
}

// checkExpectMem requires exactly one value to compare with.
func checkExpectMem(p *parser, c *Command) *syntax.Error {
	if c.Has("data") == c.Has("like") {
		e := p.missing("expect mem needs data to compare with, or like=REGION")
		e.Hint = "for example: " + c.Spec.Example
		return e
	}
	return nil
}

func checkPeer(p *parser, c *Command) *syntax.Error {
	if c.Has("addr") != c.Has("rkey") || c.Has("length") && !c.Has("rkey") {
		return p.missing("a region of the peer needs both addr and rkey")
	}
	record, ok := c.value("record")
	if !ok {
		if !c.Has("qp_num") {
			e := p.missing("peer needs qp_num, or a record")
			e.Hint = "for example: " + c.Spec.Example
			return e
		}
		return nil
	}
	for _, name := range []string{"lid", "qp_num", "psn", "gid"} {
		if v, given := c.value(name); given {
			return p.errorAt(v, "the record already holds %s", name)
		}
	}
	if !isPeerRecord(record.Text) {
		e := p.errorAt(record, "%s is not a pingpong record", syntax.Show(record.Text))
		e.Hint = "a record is LID:QPN:PSN:GID with 4, 6, 6 and 32 hex digits"
		return e
	}
	return nil
}

// isPeerRecord reports whether s is a record as the pingpong programs exchange it,
// without the closing NUL.
func isPeerRecord(s string) bool {
	digits := []int{4, 6, 6, 32}
	parts := strings.Split(s, ":")
	if len(parts) != len(digits) {
		return false
	}
	for i, part := range parts {
		if len(part) != digits[i] {
			return false
		}
		for j := range len(part) {
			if syntax.HexDigit(part[j]) < 0 {
				return false
			}
		}
	}
	return true
}

func checkRepeat(p *parser, c *Command) *syntax.Error {
	n, _ := c.value("n")
	if count := c.Uint("n"); c.IsResolved("n") && (count < 1 || count > maxRepetitions) {
		return p.errorAt(n, "n: %s is out of range: 1 to %d", syntax.Show(n.Text), int(maxRepetitions))
	}
	return p.checkLine(c, true)
}

// MaxRecorderMemory is the most memory for packets, in MiB.
const MaxRecorderMemory = 4096

func checkRecorder(p *parser, c *Command) *syntax.Error {
	v, ok := c.value("memory")
	if n := c.Uint("memory"); ok && c.IsResolved("memory") && (n < 1 || n > MaxRecorderMemory) {
		return p.errorAt(v, "memory: %s is out of range: 1 to %d MiB", syntax.Show(v.Text), MaxRecorderMemory)
	}
	return nil
}

func checkNesting(p *parser, c *Command) *syntax.Error { return p.checkLine(c, false) }

// checkLine bounds the nesting of lines; with strict the inner line must be valid.
// The line of "expect error" may be invalid, but not misspelt: then the expectation
// would always be met.
func (p *parser) checkLine(c *Command, strict bool) *syntax.Error {
	v, ok := c.value("line")
	if _, known := v.nested(); !ok || known {
		return nil
	}
	inner := parser{known: p.known, line: v.Text, depth: p.depth + 1}
	if inner.depth > maxNesting {
		e := p.errorAt(v, "lines are nested too deep: at most %d", maxNesting)
		e.Typo = true
		return e
	}
	nested, err := inner.parse()
	if err != nil {
		nested = Command{Text: v.Text, Wrong: err}
	}
	if err == nil || !strict && !err.Typo {
		v.other = []Command{nested}
		return nil
	}
	outer := *err
	outer.Line, outer.Column = p.line, err.Column+v.column-1
	return &outer
}

// checkFault refuses "off" together with other faults.
func checkFault(p *parser, c *Command) *syntax.Error {
	if !c.Has("off") {
		return nil
	}
	for i := range c.Values {
		if v := &c.Values[i]; v.Arg.Name != "off" && v.Arg.Name != "device" {
			e := p.errorAt(v, "off and %s exclude each other", v.Arg.Name)
			e.Token = v.Arg.Name
			return e
		}
	}
	return nil
}
