package export

import (
	"fmt"
	"strconv"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/verbs"
)

// reference returns the C expression of an argument that is a reference; ok is false
// if it is not one, or C has no such value.
func (t *line) reference(arg string) (expr string, ok bool) {
	v, given := t.cmd.Get(arg)
	if !given || v.Quoted {
		return "", false
	}
	return t.referenceText(v.Text)
}

func (t *line) referenceText(text string) (expr string, ok bool) {
	name, field, add, ok := command.ParseReference(text)
	if !ok {
		return "", false
	}
	o := t.find(name)
	if o == nil || readers[o.kind] == nil {
		return "", false
	}
	read := readers[o.kind]
	if expr, ok = read(t, o, field); !ok {
		return "", false
	}
	if add > 0 {
		expr = fmt.Sprintf("%s + %s", expr, number(add))
	}
	return expr, true
}

// uint returns a number.
func (t *line) uint(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return expr
	}
	v, _ := t.full.Get(arg)
	return numberLike(v.Text, t.full.Uint(arg))
}

// number translates part of a value, a number or a reference; resolved is the same
// part with references replaced.
func (t *line) number(typed, resolved string) string {
	if expr, ok := t.referenceText(typed); ok {
		return expr
	}
	n, _ := verbs.ParseUint(resolved, 64) // 0 for a reference that was not resolved
	return numberLike(resolved, n)
}

// flag returns 0 or 1.
func (t *line) flag(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return expr
	}
	if t.full.Bool(arg) {
		return "1"
	}
	return "0"
}

// flags returns named constants joined by |.
func flags(t *line, arg string) string {
	if expr, ok := t.reference(arg); ok {
		return expr
	}
	return ccall.Flags(t.full.CName(arg)).Long()
}

// gidValue returns a union ibv_gid.
func (t *line) gidValue(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return expr
	}
	return gidText(t.full.GID(arg))
}

func gidText(g verbs.GID) string { return `gid_from("` + g.String() + `")` }

// millis returns a duration in ms, rounded up.
func (t *line) millis(arg string) string {
	d := t.full.Duration(arg)
	return number(uint64((d + time.Millisecond - 1) / time.Millisecond))
}

// portNumber returns the port: the configurable one if they are equal.
func (t *line) portNumber(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return expr
	}
	if !t.full.Has(arg) {
		return t.anyPort() // the line failed before one was chosen
	}
	text := strconv.FormatUint(t.full.Uint(arg), 10)
	if t.port == "" {
		t.port = text
	}
	if text == t.port {
		return "port_num"
	}
	return text
}

// gidIndex returns the row of the GID table: the configurable one if they are equal.
func (t *line) gidIndex(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return expr
	}
	return t.gidRow(strconv.FormatUint(t.full.Uint(arg), 10))
}
