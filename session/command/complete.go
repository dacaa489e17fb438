package command

import (
	"slices"
	"strings"

	"rdmatui/assets"
	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/transition"
)

// Candidate is one possible continuation of a line: Text replaces the bytes From to
// To.
type Candidate struct {
	Text string
	Doc  string // one line: what it is
	From int
	To   int
}

// maxCandidates bounds a list; a session may have thousands of objects.
const maxCandidates = 500

// completer finds candidates for the word at the cursor.
type completer struct {
	parser
	cursor  int // in the line
	base    int // where the line begins in the line that contains it
	objects func(ObjectKind) []string
	fields  func(object string) []string
	found   []Candidate
}

// Complete lists what can stand at the cursor, a byte offset: commands, arguments not
// yet given, their choices, flags after '|', names of objects, and fields after a
// name and '.'. objects lists the names of a kind, fields those readable of an
// object; both may be nil.
func Complete(line string, cursor int, objects func(ObjectKind) []string,
	fields func(object string) []string) []Candidate {
	if objects == nil {
		objects = func(ObjectKind) []string { return nil }
	}
	if fields == nil {
		fields = func(string) []string { return nil }
	}
	c := completer{
		parser: parser{known: known(), line: line}, cursor: min(max(cursor, 0), len(line)),
		objects: objects, fields: fields,
	}
	c.complete()
	return c.found
}

func (c *completer) complete() {
	words, ok := syntax.Typed(c.line[:c.cursor])
	if !ok {
		return
	}
	current := syntax.Word{Start: c.cursor, End: c.cursor, Value: c.cursor}
	if n := len(words); n > 0 && words[n-1].End == c.cursor {
		current, words = words[n-1], words[:n-1]
	}
	if current.Quoted {
		return
	}
	if len(words) == 0 {
		c.addCommands(current)
		return
	}
	if forms := c.known.forms(words[0].Text); forms != nil && len(words) == 1 {
		c.addForms(forms, current)
		return
	}
	spec, used, err := c.findSpec(words)
	if err != nil {
		return
	}
	c.completeArgs(spec, words[used:], current)
}

func (c *completer) addCommands(current syntax.Word) {
	if current.Key != "" {
		return
	}
	for _, name := range c.known.words {
		doc := "one of several forms"
		if s := c.known.byName[name]; s != nil {
			doc = s.Summary
		}
		c.add(name, doc, current.Start, " \t")
	}
}

func (c *completer) addForms(forms []*Spec, current syntax.Word) {
	for _, f := range forms {
		_, name, _ := strings.Cut(f.Name, " ")
		c.add(name, f.Summary, current.Start, " \t")
	}
}

// add adds a candidate that starts with the text between offset from and the cursor.
// It replaces that text and what follows, up to one of the stop characters.
func (c *completer) add(text, doc string, from int, stops string) {
	prefix := c.line[from:c.cursor]
	if len(c.found) >= maxCandidates || len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return
	}
	to := len(c.line)
	if n := strings.IndexAny(c.line[c.cursor:], stops); n >= 0 {
		to = c.cursor + n
	}
	if strings.HasSuffix(text, "=") && strings.HasPrefix(c.line[to:], "=") {
		to++ // only the name is replaced
	}
	c.found = append(c.found, Candidate{text, doc, c.base + from, c.base + to})
}

func (c *completer) completeArgs(spec *Spec, words []syntax.Word, current syntax.Word) {
	b := binder{parser: &c.parser, spec: spec, bound: make([]*Value, len(spec.Args))}
	for i := range words {
		w := &words[i]
		if w.Key != "" {
			_ = b.bindKey(w) // an error elsewhere does not prevent completion here
			continue
		}
		at := b.placeFor(w)
		if at < 0 {
			continue
		}
		if spec.Args[at].Type == Line {
			start := w.Start
			if spec == Chain {
				start += chainStart(c.line[start:c.cursor])
			}
			c.completeInner(start)
			return
		}
		b.bind(at, w)
		b.next = at + 1
	}
	if current.Key != "" {
		if a := spec.Arg(current.Key); a != nil && b.boundText(a.Name) == "" {
			c.addValues(&b, a, current.Value)
		}
		return
	}
	c.addPlaces(&b, current)
	c.addNames(&b, current)
}

// completeInner completes a nested line.
func (c *completer) completeInner(start int) {
	inner := *c
	inner.line, inner.cursor, inner.base = c.line[start:], c.cursor-start, c.base+start
	inner.complete()
	c.found = inner.found
}

func (b *binder) boundText(name string) string {
	for _, v := range b.bound {
		if v != nil && v.Arg.Name == name {
			return v.Text
		}
	}
	return ""
}

// addPlaces offers values of the next positional arguments, up to the first required
// one.
func (c *completer) addPlaces(b *binder, current syntax.Word) {
	for i := b.next; i < len(b.spec.Args); i++ {
		a := &b.spec.Args[i]
		if !a.Positional || b.bound[i] != nil {
			continue
		}
		if a.Type == Line {
			c.completeInner(current.Start)
			return
		}
		c.addValues(b, a, current.Start)
		if a.Required {
			return
		}
	}
}

// addNames offers the names of arguments that are not given yet and apply, required
// ones first.
func (c *completer) addNames(b *binder, current syntax.Word) {
	for _, required := range []bool{true, false} {
		for i := range b.spec.Args {
			a := &b.spec.Args[i]
			if b.bound[i] == nil && !a.Positional {
				if use := usage(b, a); use != notAllowed && (a.Required || use == needed) == required {
					c.add(a.Name+"=", argDoc(a), current.Start, " \t=")
				}
			}
		}
	}
}

// use says whether an argument applies, given the others.
type use uint8

const (
	allowed use = iota
	needed
	notAllowed
)

// usage returns whether an argument applies to the given opcode of a post_send, state
// of a modify_qp, or memory of a reg_mr.
func usage(b *binder, a *Arg) use {
	if b.spec.usage == nil {
		return allowed
	}
	return b.spec.usage(b, a.Name)
}

func sendUsage(b *binder, name string) use {
	op, err := verbs.WROpcodes.Parse(b.boundText("opcode"))
	if err != nil {
		return allowed
	}
	at := slices.IndexFunc(sendFields, func(f sendField) bool { return f.name == name })
	switch {
	case at < 0:
		return allowed
	case !sendFields[at].used(op.Traits()):
		return notAllowed
	case sendFields[at].required(op.Traits()):
		return needed
	}
	return allowed
}

// modifyUsage considers all transitions into the state, since the line does not show
// the queue pair's type and current state. "Needed" is according to RC.
func modifyUsage(b *binder, name string) use {
	to, err := verbs.QPStates.Parse(b.boundText("qp_state"))
	f := fields.QPNamed(name)
	if f == nil || err != nil {
		return allowed
	}
	best := notAllowed
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		for from := verbs.QPReset; from <= verbs.QPErr; from++ {
			tr, ok := transition.Find(typ, from, to)
			switch {
			case ok && typ == verbs.RC && tr.Required&f.Bit != 0:
				return needed
			case ok && tr.Allowed()&f.Bit != 0:
				best = allowed
			}
		}
	}
	return best
}

// argDoc is an argument's description in one line, with its unit and default.
func argDoc(a *Arg) string {
	doc := a.Doc
	if a.Unit != "" {
		doc = a.Unit + "; " + doc
	}
	if a.Default != "" {
		doc += " (default " + a.Default + ")"
	}
	return doc
}

// addValues offers values of an argument whose value begins at offset from.
func (c *completer) addValues(b *binder, a *Arg, from int) {
	switch a.Type {
	case Object:
		c.addObjects(a.Objects, from)
	case Bool:
		c.addBools(a, from)
	case Share:
		c.add("1%", argDoc(a), from, " \t")
		c.add("10%", argDoc(a), from, " \t")
	case Choice:
		c.addChoices(a, from)
		c.addReferences(a, from, " \t")
	case FlagSet:
		c.addFlags(a, from)
	case SGEList:
		c.addSGEs(a, from)
	case Bytes:
		c.add(patternPrefix, "LEN bytes 0, 1, 2 … 250, repeated", from, " \t")
		if a.Name == "data" {
			c.add(syntax.FilePrefix, "PATH of a file", from, " \t")
		}
		c.add("0x", "hex digits", from, " \t")
		c.add("be32:", "a number of 32 bits, the high byte first; several joined by a comma", from, " \t")
	case Backing:
		for _, f := range backingForms {
			c.add(f.text, f.doc, from, " \t")
		}
	case Uint, Addr, GIDValue, Duration:
		if a.Default != "" {
			c.add(a.Default, argDoc(a), from, " \t")
		}
		c.addReferences(a, from, " \t")
	case Word:
		c.addHelpTopics(b, a, from)
		c.addExperiments(b, a, from)
		if likelyFields[a.Name] != nil {
			c.addReferences(a, from, " \t")
		}
	}
}

func (c *completer) addObjects(kinds []ObjectKind, from int) {
	for _, kind := range kinds {
		for _, name := range c.objects(kind) {
			c.add(name, string(kind), from, " \t")
		}
	}
}

func (c *completer) addBools(a *Arg, from int) {
	words := []string{"0", "1"}
	if a.Positional {
		words = []string{"on", "off"}
	}
	for _, w := range words {
		c.add(w, argDoc(a), from, " \t")
	}
}

func (c *completer) addChoices(a *Arg, from int) {
	for _, choice := range a.Choices {
		c.add(choice, argDoc(a), from, " \t")
	}
}

// addFlags offers the flags that are not in the set yet, after the last '|'.
func (c *completer) addFlags(a *Arg, from int) {
	typed := c.line[from:c.cursor]
	last := strings.LastIndexAny(typed, "|,")
	given := strings.FieldsFunc(typed[:max(last, 0)], func(r rune) bool { return r == '|' || r == ',' })
	for _, flag := range a.Choices {
		if !slices.ContainsFunc(given, func(s string) bool { return strings.EqualFold(s, flag) }) {
			c.add(flag, argDoc(a), from+last+1, " \t|,")
		}
	}
}

// addSGEs offers regions at the start of a piece, references in its later parts.
func (c *completer) addSGEs(a *Arg, from int) {
	piece := from + strings.LastIndexByte(c.line[from:c.cursor], ',') + 1
	part := strings.LastIndexByte(c.line[piece:c.cursor], ':') + 1
	if part > 0 {
		c.addReferences(a, piece+part, " \t,:")
		return
	}
	if strings.HasPrefix(c.line[piece:c.cursor], "@") {
		c.addReferences(a, piece+1, " \t,:")
		return
	}
	for _, name := range c.objects(KindMR) {
		c.add(name, "the whole region; "+name+":offset:length for a part", piece, " \t,:")
	}
}

// likelyFields are the fields that an argument is most often set from.
var likelyFields = map[string][]string{
	"dest_qp_num": {"qp_num"}, "remote_qpn": {"qp_num"}, "qp_num": {"qp_num"},
	"rq_psn": {"psn"}, "sq_psn": {"psn"},
	"dgid": {"gid"}, "alt_dgid": {"gid"}, "gid": {"gid"}, "dlid": {"lid"},
	"remote_addr": {"addr"}, "rkey": {"rkey"}, "invalidate_rkey": {"rkey"}, "remote_qkey": {"qkey"},
	"dst": {"dst_addr"}, "src": {"src_addr"}, "addr": {"addr", "src_addr"},
	"port_num": {"port_num"}, "path_mtu": {"path_mtu"}, "length": {"length"},
}

// addReferences offers the likely fields of all objects, and every field once a
// name and '.' stand there.
func (c *completer) addReferences(a *Arg, from int, stops string) {
	typed := c.line[from:c.cursor]
	if object, _, dotted := strings.Cut(typed, "."); dotted {
		if !isName(object) {
			return
		}
		for _, field := range c.fields(object) {
			c.add(field, "of "+object, from+len(object)+1, stops)
		}
		return
	}
	likely := likelyFields[a.Name]
	if len(likely) == 0 && typed == "" {
		return // any number will do: names would only be in the way
	}
	for _, kind := range ObjectKinds {
		for _, name := range c.objects(kind) {
			c.addReferencesTo(name, kind, likely, from, stops)
		}
	}
}

func (c *completer) addReferencesTo(name string, kind ObjectKind, likely []string, from int, stops string) {
	if len(c.found) >= maxCandidates {
		return
	}
	if len(likely) == 0 {
		c.add(name+".", "a value of this "+string(kind), from, stops)
		return
	}
	fields := c.fields(name)
	for _, field := range likely {
		if slices.Contains(fields, field) {
			c.add(name+"."+field, "of this "+string(kind), from, stops)
		}
	}
}

// addHelpTopics completes the words of help.
func (c *completer) addHelpTopics(b *binder, a *Arg, from int) {
	switch a.Name { // no other command has arguments of these names
	case "command":
		c.addCommands(syntax.Word{Start: from})
	case "form":
		c.addForms(c.known.forms(b.boundText("command")), syntax.Word{Start: from})
	}
}

// addExperiments completes the name of a failure of the error lab.
func (c *completer) addExperiments(b *binder, a *Arg, from int) {
	if b.spec != Lab || a.Name != "experiment" {
		return
	}
	for _, name := range assets.ExperimentNames() {
		c.add(name, "a failure made on purpose", from, " \t")
	}
}
