package command

import (
	"cmp"
	"slices"
	"strings"
)

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
