package line

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// cutting is what shortens a text without a mark. Whatever is drawn goes through Buf,
// which cuts it with one.
var cutting = regexp.MustCompile(`ansi\.(Truncate|Cut|Hardwrap)|\.Max(Width|Height)\(|runewidth\.|%-?[0-9]*\.([0-9]+|\*)[sqv]`)

// TestNothingElseCuts looks for other ways to cut in the sources of the screens.
func TestNothingElseCuts(t *testing.T) {
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.HasPrefix(name, "cli/") {
			return err
		}
		src, err := fs.ReadFile(root, name)
		for i, l := range strings.Split(string(src), "\n") {
			if cutting.MatchString(l) {
				t.Errorf("%s:%d cuts a text: %s", name, i+1, strings.TrimSpace(l))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
