package program

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// fieldTypes has for each field of JSON lines the types of its values. A field's path names the kind of event, with the
// command for that of a command, since each has fields of its own.
type fieldTypes map[string]map[string]bool

func typesOf(t *testing.T, text string) fieldTypes {
	t.Helper()
	s := fieldTypes{}
	for l := range strings.Lines(text) {
		var value any
		if err := json.Unmarshal([]byte(l), &value); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		s.add(kindOf(value), value)
	}
	return s
}

func kindOf(value any) string {
	object, _ := value.(map[string]any)
	kind, _ := object["event"].(string)
	line, _ := object["line"].(string)
	name, _, _ := strings.Cut(line, " ")
	return strings.TrimSpace(kind + " " + name)
}

func (s fieldTypes) add(path string, value any) {
	kind := "null"
	switch value := value.(type) {
	case map[string]any:
		kind = "object"
		for name, v := range value {
			s.add(path+"."+name, v)
		}
	case []any:
		kind = "array"
		for _, v := range value {
			s.add(path+"[]", v)
		}
	case string, float64, bool:
		kind = fmt.Sprintf("%T", value)
	}
	if s[path] == nil {
		s[path] = map[string]bool{}
	}
	s[path][kind] = true
}

// lost says which fields are missing, and which have another type. The fields of varied and those below them may be
// missing.
func lost(kept, present fieldTypes, varied []string) (complaints []string) {
	for _, path := range slices.Sorted(maps.Keys(kept)) {
		switch types := present[path]; {
		case types == nil && !slices.ContainsFunc(varied, func(v string) bool { return strings.HasPrefix(path, v) }):
			complaints = append(complaints, "there is no field "+path)
		case types != nil && !maps.Equal(types, kept[path]):
			complaints = append(complaints, fmt.Sprintf("the field %s is of %v, was of %v", path,
				slices.Sorted(maps.Keys(types)), slices.Sorted(maps.Keys(kept[path]))))
		}
	}
	return complaints
}

func TestLost(t *testing.T) {
	const text = `{"event":"command","line":"query_qp a","data":{"n":1}}
{"event":"wc","list":[{"a":"x"},{"a":"y","b":true}],"none":null}
`
	kept := typesOf(t, text)
	for _, tt := range []struct{ from, to, want string }{
		{"", "", ""},
		{`"n":1`, `"n":2,"m":3`, ""},
		{`"n":1`, `"m":1`, "there is no field command query_qp.data.n"},
		{`"n":1`, `"n":"1"`, "the field command query_qp.data.n is of [string], was of [float64]"},
		{`,"b":true`, "", "there is no field wc.list[].b"},
		{`null`, `[]`, "the field wc.none is of [array], was of [null]"},
		{`query_qp`, `query_device`, "there is no field command query_qp; there is no field command query_qp.data; " +
			"there is no field command query_qp.data.n; there is no field command query_qp.event; " +
			"there is no field command query_qp.line"},
	} {
		present := typesOf(t, strings.Replace(text, tt.from, tt.to, 1))
		if got := strings.Join(lost(kept, present, nil), "; "); got != tt.want {
			t.Errorf("%q instead of %q: %q, want %q", tt.to, tt.from, got, tt.want)
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	if got := lost(kept, typesOf(t, first), []string{"wc"}); got != nil {
		t.Errorf("fields that may be missing are missed: %q", got)
	}
}
