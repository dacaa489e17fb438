package store

import (
	"os"
	"path/filepath"
)

// program is the name of the program's folders.
const program = "rdmatui"

// Folders are the program's own, by the XDG base directory specification. "" means
// none: nothing is read from it or written to it.
type Folders struct {
	Config string // $XDG_CONFIG_HOME/rdmatui
	State  string // $XDG_STATE_HOME/rdmatui
}

// FoldersFrom finds the folders by the environment. As the specification requires, it
// ignores relative paths.
func FoldersFrom(getenv func(string) string) Folders {
	base := func(variable string, below ...string) string {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, program)
		}
		if home := getenv("HOME"); filepath.IsAbs(home) {
			return filepath.Join(append(append([]string{home}, below...), program)...)
		}
		return ""
	}
	return Folders{Config: base("XDG_CONFIG_HOME", ".config"), State: base("XDG_STATE_HOME", ".local", "state")}
}

// path returns the path of a file in a folder, "" if there is no folder.
func path(folder, name string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, name)
}

// makeFolder makes a folder and its parents, accessible to the owner only.
func makeFolder(dir string) error { return os.MkdirAll(dir, 0o700) }
