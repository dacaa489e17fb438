package uitest

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"rdmatui/ui/theme"
)

// tokenColour is the colour of the first field of theme.Styles in [Tokens].
const tokenColour = 100

// Tokens returns a theme in which each semantic style has a colour of its own, so that
// [Marked] can tell from a view what each text means.
func Tokens() *theme.Theme {
	th := theme.New("none", true)
	v := reflect.ValueOf(&th.Styles).Elem()
	for i := range v.NumField() {
		c := lipgloss.Color(fmt.Sprint(tokenColour + i))
		v.Field(i).Set(reflect.ValueOf(theme.Make(lipgloss.NewStyle().Foreground(c))))
	}
	return th
}

// Marked returns the lines of panes that contain one of the texts, from a view in the theme
// of [Tokens], with the name of the style in front of each run: ‹Err›, or ‹Err+Selection›
// where one is laid over another, and ‹› for none. The test fails if a text is in no line.
func Marked(t testing.TB, view string, texts ...string) string {
	t.Helper()
	var out strings.Builder
	found := map[string]bool{}
	for l := range strings.SplitSeq(view, "\n") {
		for piece := range strings.SplitSeq(marked(l), "│") {
			plain, chosen := mark.ReplaceAllString(piece, ""), false
			for _, text := range texts {
				if strings.Contains(plain, text) {
					found[text], chosen = true, true
				}
			}
			if chosen {
				out.WriteString(strings.TrimRight(frameMark.ReplaceAllString(piece, ""), " ") + "\n")
			}
		}
	}
	for _, text := range texts {
		if !found[text] {
			t.Errorf("%q is not in\n%s", text, Text(view))
		}
	}
	return out.String()
}

var (
	mark      = regexp.MustCompile(`‹[A-Za-z0-9+]*›`)
	frameMark = regexp.MustCompile(`‹Frame(Focus)?›$`) // of the border behind the line
)

// marked is a line with the names of its styles.
func marked(l string) string {
	var out strings.Builder
	var names []string
	at, before := 0, ""
	write := func(text string) {
		if text == "" {
			return
		}
		if now := strings.Join(names, "+"); now != before && (now != "" || strings.TrimSpace(text) != "") {
			out.WriteString("‹" + now + "›")
			before = now
		}
		out.WriteString(text)
	}
	for _, m := range sgr.FindAllStringIndex(l, -1) {
		write(l[at:m[0]])
		at = m[1]
		if l[m[0]:m[1]] == theme.Reset {
			names = nil
		} else {
			names = append(names, styleNames[l[m[0]:m[1]]])
		}
	}
	write(l[at:])
	return strings.TrimRight(out.String(), " ")
}

// styleNames are the names of the fields of theme.Styles by what [Tokens] sends for them.
var styleNames = func() map[string]string {
	names, v := map[string]string{}, reflect.ValueOf(Tokens().Styles)
	for i := range v.NumField() {
		names[v.Field(i).Interface().(theme.Style).SGR()] = v.Type().Field(i).Name
	}
	return names
}()
