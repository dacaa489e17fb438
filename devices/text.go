package devices

import (
	"fmt"
	"slices"
	"strings"
)

// cutText bounds the length of a string from outside the program.
func cutText(s string) string {
	if len(s) > maxText {
		return s[:maxText]
	}
	return s
}

func sortedText(names []string) []string {
	for i := range names {
		names[i] = cutText(names[i])
	}
	slices.Sort(names)
	return names
}

// plainName reports whether a name is a single path element, which can be joined to a
// directory without leaving it.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= maxText && !strings.ContainsAny(name, "/\x00")
}

// listed joins names for a sentence and cuts a long list.
func listed(names []string) string {
	const shown = 8
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + ", …"
}

// counted is a number with its noun, in the singular for 1.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// shellWord quotes a name for a command that a user may paste: the kernel allows
// characters in netdev names that a shell acts on.
func shellWord(name string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-@", r)
	}
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
