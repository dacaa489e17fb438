package command

import (
	"slices"
	"strings"

	"rdmatui/session/command/syntax"
	"rdmatui/session/lab"
)

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
	for _, name := range lab.Names() {
		c.add(name, "a failure made on purpose", from, " \t")
	}
}
