package explain

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
)

// readBy is the answer of so many goroutines that scan, to a text in blocks of such a size, from the first line on.
func readBy(t *testing.T, scans, size int, text string) Answer {
	t.Helper()
	r := newLogReader()
	r.scans, r.blockBytes, r.early = scans, size, maxEarly
	a, err := r.answer(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// blockTexts are the texts of all test data, and some with lines that are longer than a block or have no end.
func blockTexts(t *testing.T) map[string]string {
	files, err := filepath.Glob("testdata/*.txt")
	seeds, _ := filepath.Glob("testdata/fuzz/FuzzRead/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	texts := map[string]string{}
	for _, name := range append(files, seeds...) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(content)
	}
	lines, r := corpus(t), rand.New(rand.NewPCG(9, 10))
	for _, between := range []string{"\n", "\r\n", "\n\n\n", " ", "\n" + strings.Repeat("x ", maxLineBytes) + "\n"} {
		var text strings.Builder
		for range 200 {
			text.WriteString(lines[r.IntN(len(lines))] + between)
		}
		texts["between "+between[:1]+strings.Repeat("+", len(between)%7)] = text.String()
	}
	return texts
}

// TestBlocks: how a text is parted into blocks, and how many goroutines scan them, changes no answer.
func TestBlocks(t *testing.T) {
	for name, text := range blockTexts(t) {
		want := readBy(t, 0, 1<<20, text) // all of it at once
		for _, by := range []struct{ scans, size int }{
			{0, maxLineBytes}, {1, maxLineBytes}, {3, maxLineBytes}, {maxScans, 3 * maxLineBytes}, {2, blockBytes},
		} {
			if got := readBy(t, by.scans, by.size, text); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %+v: %+v\nat once: %+v", name, by, got, want)
			}
		}
	}
}

// FuzzBlocks: a text that fills several blocks is answered as it is when all of it is read at once.
func FuzzBlocks(f *testing.F) {
	for _, c := range logCases(f) {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := strings.Repeat(s+"\n", 1+2*maxLineBytes/max(len(s), 16))
		want, got := readBy(t, 0, len(text), text), readBy(t, 3, maxLineBytes, text)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v\nat once: %+v", s, got, want)
		}
	})
}

// TestBlocksOfLines: a block ends with a line where it can, and its parts are those of the text.
func TestBlocksOfLines(t *testing.T) {
	const size = 2 * maxLineBytes
	text := strings.Repeat("a line\n", 3000) + strings.Repeat("y", 3*size+5) + "\n\n" + strings.Repeat("z", size+7)
	blocks, b := blockReader{in: strings.NewReader(text), size: size}, &block{}
	var got []byte
	for {
		err := blocks.next(b)
		if err == io.EOF {
			break
		}
		if err != nil || len(b.text) == 0 || len(b.text) > size {
			t.Fatalf("a block of %d bytes, %v", len(b.text), err)
		}
		if bytes.IndexByte(b.text, '\n') >= 0 && b.text[len(b.text)-1] != '\n' && len(got)+len(b.text) < len(text) {
			t.Errorf("a block ends with %q", b.text[len(b.text)-9:])
		}
		at, ends := 0, 0
		b.split(func(p part) {
			if p.from != at || p.to-p.from > maxLineBytes || p.after != ends {
				t.Errorf("part %+v, want one from %d after %d lines", p, at, ends)
			}
			at, ends = p.to, ends+bytes.Count(b.text[p.from:p.to], []byte("\n"))
		})
		if at != len(b.text) || ends != b.ends {
			t.Errorf("%d of %d bytes, %d of %d ends", at, len(b.text), ends, b.ends)
		}
		got = append(got, b.text...)
	}
	if string(got) != text {
		t.Errorf("%d of %d bytes are read", len(got), len(text))
	}
}

// TestBlocksEnd: where reading fails in the midst of a long text, the error is told and no goroutine goes on.
func TestBlocksEnd(t *testing.T) {
	theMessages().vocabulary() // which others may be waiting for
	errGone := errors.New("gone")
	for _, n := range []int{0, 1, 100_000, 5_000_000} {
		synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
			text := strings.NewReader(strings.Repeat("node1 app: status 5\n", n/20))
			r := newLogReader()
			r.scans = maxScans
			if _, err := r.answer(io.MultiReader(text, failingReader{errGone})); !errors.Is(err, errGone) {
				t.Errorf("after %d bytes: %v", n, err)
			}
		})
	}
}

// TestBlockPanics: a panic of a goroutine that scans is one of its reader.
func TestBlockPanics(t *testing.T) {
	b := &block{text: []byte("a line\n"), scanned: make(chan any, 1)}
	blocks := make(chan *block, 1)
	blocks <- b
	close(blocks)
	scanBlocks(blocks, nil) // a line cannot be scanned without a vocabulary
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	newLogReader().block(b)
}

// failingReader fails at once.
type failingReader struct{ error }

// Read fails.
func (r failingReader) Read([]byte) (int, error) { return 0, r.error }
