package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
)

// reference is another object's value: b.qp_num, dst.addr+16.
type reference struct {
	object, field string
	add           uint64
	plus          bool // "+N" was written
}

// parseReference reads a reference; ok is false for anything else.
func parseReference(s string) (ref reference, ok bool) {
	object, rest, found := strings.Cut(s, ".")
	if !found || !isName(object) {
		return ref, false
	}
	field, offset, plus := strings.Cut(rest, "+")
	if !isFieldName(field) {
		return ref, false
	}
	ref = reference{object: object, field: field, plus: plus}
	if plus {
		n, err := verbs.ParseUint(offset, 64)
		if err != nil {
			return ref, false
		}
		ref.add = n
	}
	return ref, true
}

// ParseReference takes another object's value apart: b.qp_num, dst.addr+16. ok is
// false for anything else.
func ParseReference(s string) (object, field string, add uint64, ok bool) {
	ref, ok := parseReference(s)
	return ref.object, ref.field, ref.add, ok
}

// isName reports whether s can name an object: a letter or underscore, then
// those, digits and dashes.
func isName(s string) bool {
	if s == "" || len(s) > syntax.MaxNameLen || !syntax.IsLetter(s[0]) && s[0] != '_' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !syntax.IsLetter(c) && !syntax.IsDigit(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func isFieldName(s string) bool {
	if s == "" || len(s) > 2*syntax.MaxNameLen || !syntax.IsLetter(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !syntax.IsLetter(c) && !syntax.IsDigit(c) && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// Resolver looks up an object's value as text, as it would be typed.
type Resolver func(object, field string) (string, error)

// Resolve returns the command with every reference replaced by its value, read as its argument's type. An error is an
// *Error that wraps lookup's.
func (c Command) Resolve(lookup Resolver) (Command, error) {
	if c.Spec == nil {
		return c, nil
	}
	r := c
	r.Values = append([]Value(nil), c.Values...)
	p := parser{known: known(), line: c.Text, spec: c.Spec.Name, made: c.made}
	for i := range r.Values {
		v := &r.Values[i]
		if v.read {
			continue
		}
		if err := resolveValue(v, lookup); err != nil {
			e := p.errorAt(v, "%s: %v", v.Arg.Name, err)
			e.Cause = err
			return c, e
		}
		if err := p.checkValue(v, false); err != nil {
			return c, err
		}
	}
	if check := c.Spec.check; check != nil {
		if err := check(&p, &r); err != nil {
			return c, err
		}
	}
	return r, nil
}

func resolveValue(v *Value, lookup Resolver) (err error) {
	v.Text, err = replaceReferences(v, func(s string) (string, error) { return resolveText(s, lookup) })
	return err
}

// replaceReferences returns the text of a value after calling replace for each part that can be a reference.
func replaceReferences(v *Value, replace func(string) (string, error)) (text string, err error) {
	if v.Quoted {
		return v.Text, nil
	}
	switch v.Arg.Type {
	case Word, Text, NewFile, NewName, Object, Backing, Errno, Line:
		return v.Text, nil
	case SGEList:
		return replaceInSGEs(v.Text, keepName, replace)
	case Bytes:
		if rest, ok := strings.CutPrefix(v.Text, patternPrefix); ok {
			length, from, given := strings.Cut(rest, ":")
			length, err = replace(length)
			if text = patternPrefix + length; given {
				text += ":" + from
			}
			return text, err
		}
		if isNumbers(v.Text) {
			return replaceInNumbers(v.Text, replace)
		}
		return v.Text, nil
	}
	return replace(v.Text)
}

// resolveText replaces s where it is a reference.
func resolveText(s string, lookup Resolver) (string, error) {
	ref, ok := parseReference(s)
	if !ok {
		return s, nil
	}
	text, err := lookup(ref.object, ref.field)
	if err != nil || !ref.plus {
		return text, err
	}
	n, err := verbs.ParseUint(text, 64)
	if err != nil {
		return "", fmt.Errorf("%s.%s is %s, to which no number can be added", ref.object, ref.field, syntax.Show(text))
	}
	if n+ref.add < n {
		return "", fmt.Errorf("%s is beyond 64 bits", syntax.Show(s))
	}
	return fmt.Sprintf("0x%x", n+ref.add), nil
}

// isReference reports whether a value of this argument is replaced when the
// command runs, so that it cannot be checked before.
func isReference(v *Value) bool {
	if v.Quoted {
		return false
	}
	_, ok := parseReference(v.Text)
	return ok
}

// Renamed returns the line with rename applied to each name of an object: those that are made or used, and those in
// references, lists of regions and nested lines. The rest of the line stays as it was typed.
func (c Command) Renamed(rename func(name string) string) string {
	given := slices.DeleteFunc(slices.Clone(c.Values), func(v Value) bool { return !v.Given || v.Quoted })
	slices.SortFunc(given, func(a, b Value) int { return cmp.Compare(a.column, b.column) })
	var out strings.Builder
	at := 0
	for i := range given {
		v := &given[i]
		if text := renamedValue(v, rename); text != v.Text { // then it is in the line as it is in v.Text
			out.WriteString(c.Text[at:v.column-1] + text)
			at = v.column - 1 + len(v.Text)
		}
	}
	return out.String() + c.Text[at:]
}

func renamedValue(v *Value, rename func(string) string) string {
	inReference := func(s string) (string, error) {
		if ref, ok := parseReference(s); ok {
			return rename(ref.object) + s[len(ref.object):], nil
		}
		return s, nil
	}
	text, err := v.Text, error(nil)
	switch v.Arg.Type {
	case NewName, Object:
		return rename(v.Text)
	case Line:
		var nested Command
		if nested, err = Parse(v.Text); err == nil {
			text = nested.Renamed(rename)
		}
	case SGEList:
		text, err = replaceInSGEs(v.Text, rename, inReference)
	default:
		text, err = replaceReferences(v, inReference)
	}
	if err != nil { // the error comes when the line is carried out
		return v.Text
	}
	return text
}
