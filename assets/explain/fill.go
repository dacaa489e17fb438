package explain

import (
	"fmt"
	"strings"
)

// Values are what is known at the moment of what a text speaks of, by the names
// between braces in the files: "qp", "rkey", "timeout" as a time,
// "attr:max_qp_rd_atom". An empty value counts as not known.
type Values map[string]string

// fill puts values into a text; see the package's documentation for [[ | ]].
func fill(text string, values Values) string {
	if !strings.Contains(text, "[[") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "[[")
		b.WriteString(before)
		if !found {
			break
		}
		span, after, _ := strings.Cut(rest, "]]")
		with, without, _ := strings.Cut(span, "|")
		if filled, ok := replace(with, values); ok {
			b.WriteString(filled)
		} else {
			b.WriteString(without)
		}
		text = after
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// replace puts values in the place of their names; ok is false where one is not known.
func replace(text string, values Values) (filled string, ok bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		name, after, _ := strings.Cut(rest, "}")
		if values[name] == "" {
			return "", false
		}
		b.WriteString(values[name])
		text = after
	}
}

// placeholders lists the names between braces in a text; it fails where brackets or
// braces do not pair, where a brace stands outside of [[ ]], and where a span has no
// value in it.
func placeholders(text string) (names []string, err error) {
	for {
		before, rest, found := strings.Cut(text, "[[")
		if strings.ContainsAny(before, "{}") || strings.Contains(before, "]]") {
			return nil, fmt.Errorf("a brace or ]] outside of [[ ]] in %q", before)
		}
		if !found {
			return names, nil
		}
		span, after, closed := strings.Cut(rest, "]]")
		with, without, _ := strings.Cut(span, "|")
		if !closed || strings.ContainsAny(without, "{}|") || strings.Contains(span, "[[") {
			return nil, fmt.Errorf("[[%s is not of the form [[with {value}|without]]", span)
		}
		of, err := braces(with)
		if err != nil {
			return nil, err
		}
		names, text = append(names, of...), after
	}
}

func braces(span string) (names []string, err error) {
	for rest := span; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			break
		}
		name, next, closed := strings.Cut(after, "}")
		if !closed || name == "" || strings.ContainsAny(name, "{ ") {
			return nil, fmt.Errorf("a brace without its other in %q", span)
		}
		names, rest = append(names, name), next
	}
	if len(names) == 0 || len(names) != strings.Count(span, "}") {
		return nil, fmt.Errorf("no value in [[%s]], or a brace too many", span)
	}
	return names, nil
}
