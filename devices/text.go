package devices

import (
	"slices"
	"strings"
)

// cutText bounds a string that came from outside.
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

// plainName reports whether a name is one path element, so that it can be
// joined to a directory without leaving it.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= maxText && !strings.ContainsAny(name, "/\x00")
}

// listed joins names for a sentence; a long list is cut and counted.
func listed(names []string) string {
	const shown = 8
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + ", …"
}

// shellWord quotes a name for a command that a user may paste: the kernel lets
// netdev names hold characters that a shell acts on.
func shellWord(name string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-@", r)
	}
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
