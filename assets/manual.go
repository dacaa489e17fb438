package assets

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

// pageFiles are the user's manual: a Markdown page for each subject, which can be read in the source tree, with
// 'rdmatui manual' and on the screen. A page begins with its title; its first paragraph says what it is about.
// Pictures are links to files of assets/.
//
//go:embed manual/*.md
var pageFiles embed.FS

var pages = below(pageFiles, "manual")

const pageExt = ".md"

// reading is the order in which a newcomer reads: first the screens by their keys, then what they have in common with
// the commands. Pages that are not in it follow by name.
var reading = []string{"home", "devices", "bring-up", "post", "completions", "connections", "wire",
	"scenarios", "journal", "measure", "console", "peers", "explain", "doctor", "pair", "lab", "recorder",
	"software-device", "language", "commands", "settings", "containers", "kubernetes",
	"slurm", "stability", "platforms"}

// PageNames returns the names of all pages of the manual in the order of reading.
func PageNames() []string {
	names := slices.Clone(reading)
	paths, _ := fs.Glob(pages, "*"+pageExt) // the pattern is good
	for _, p := range paths {
		if name := strings.TrimSuffix(p, pageExt); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Page returns the Markdown of a page; ok is false if there is none of that name.
func Page(name string) (text string, ok bool) {
	b, err := fs.ReadFile(pages, name+pageExt)
	return string(b), err == nil
}

// PageTitle returns the title of a page's Markdown, "" without one.
func PageTitle(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	title, _ := strings.CutPrefix(first, "# ")
	return strings.ReplaceAll(title, "`", "")
}
