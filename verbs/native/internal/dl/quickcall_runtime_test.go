//go:build linux && amd64 && !android

package dl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// runtimeTexts lists the parts of the runtime that quick calls rely on, with the
// checksums of the texts that were reviewed, without comments and spaces.
var runtimeTexts = []struct {
	file, symbol string
	sums         []string
}{
	{"asm_amd64.s", "·asmcgocall(SB)", []string{"2283bab4918e03aa"}},
	{"asm_amd64.s", "·asmcgocall_landingpad(SB)", []string{"f70025c15a706769"}},
	{"cgocall.go", "cgocall", []string{"86e2441f5108827d"}},
}

// TestQuickCallsFitThisGo fails with a release of Go whose runtime nobody has compared
// with the trampoline. The program itself then uses plain calls.
func TestQuickCallsFitThisGo(t *testing.T) {
	const doc = "verbs/native/internal/dl/quickcall_linux_amd64.go"
	if v := runtime.Version(); !checkedGo(v) {
		t.Errorf("quick calls were not checked with %s, so that programs built with it use plain calls: compare %s with its runtime, then add it to goReleases in checkedgo.go", v, doc)
	}
	src := runtimeSource(t)
	for _, part := range runtimeTexts {
		text := runtimeText(t, filepath.Join(src, part.file), part.symbol)
		if sum := checksum(text); !slices.Contains(part.sums, sum) {
			t.Errorf("%s of runtime/%s is not the text that quick calls were checked with: read it beside %s; if that still fits, add %q to runtimeTexts, and else remove the release from goReleases", part.symbol, part.file, doc, sum)
		}
	}
	for _, want := range []struct{ file, symbol, text string }{
		{"asm_amd64.s", "·asmcgocall(SB)", "TEXT ·asmcgocall(SB),NOSPLIT,$0-20"},
		{"asm_amd64.s", "·asmcgocall(SB)", "MOVQ fn+0(FP), AX"},
		{"asm_amd64.s", "·asmcgocall(SB)", "MOVQ arg+8(FP), BX"},
		{"asm_amd64.s", "·asmcgocall(SB)", "MOVL AX, ret+16(FP)"},
		{"asm_amd64.s", "·asmcgocall_landingpad(SB)", "MOVQ BX, DI"},
		{"stubs.go", "asmcgocall", "//go:noescape func asmcgocall(fn, arg unsafe.Pointer) int32"},
		{"cgocall.go", "cgocall", "//go:linkname cgocall //go:nosplit func cgocall(fn, arg unsafe.Pointer) int32"},
		{"preempt.go", "isAsyncSafePoint", "{ mp := gp.m if mp.curg != gp { return false, 0 }"},
	} {
		if text := runtimeText(t, filepath.Join(src, want.file), want.symbol); !strings.Contains(text, want.text) {
			t.Errorf("%s of runtime/%s has no %q, which quick calls rely on: read %s; if it no longer fits, remove the release from goReleases", want.symbol, want.file, want.text, doc)
		}
	}
}

func TestCheckedGo(t *testing.T) {
	for v, want := range map[string]bool{
		"go1.26": true, "go1.26.0": true, "go1.26.8": true, "go1.26rc1": true,
		"go1.25.9": false, "go1.27.0": false, "go1.260.1": false, "go1.27rc1": false, "go2": false,
		"devel go1.27-0123456789 Mon Jan 1 00:00:00 2026": false, "devel +0123456789": false,
		"go1.26.8 X:runtimesecret": false, "go1.26.8-patched": false, "": false,
	} {
		if checkedGo(v) != want {
			t.Errorf("%q: %v", v, !want)
		}
	}
}

// TestUncheckedGoCallsPlainly: Open makes a library without quick calls on an unchecked
// release.
func TestUncheckedGoCallsPlainly(t *testing.T) {
	l := libc(t)
	if l.quick != checkedGo(runtime.Version()) {
		t.Fatalf("quick: %v", l.quick)
	}
	releases := goReleases
	goReleases = nil
	t.Cleanup(func() { goReleases = releases })
	if libc(t).quick {
		t.Error("quick with a release that was not checked")
	}
}

// runtimeSource returns the source directory of the runtime that this test runs on.
func runtimeSource(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		missing(t, fmt.Sprintf("go env: %v", err))
	}
	v, root, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if v != runtime.Version() {
		missing(t, fmt.Sprintf("go is %s, this test was built with %s", v, runtime.Version()))
	}
	return filepath.Join(root, "src", "runtime")
}

// runtimeText returns the source of a function without comments, each run of spaces as
// one; Go functions include their directives.
func runtimeText(t *testing.T, file, symbol string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if strings.HasSuffix(file, ".s") {
		text = assembly(string(src), symbol)
	} else if text, err = goFunc(file, src, symbol); err != nil {
		t.Fatal(err)
	}
	if text == "" {
		t.Errorf("%s has no %s, which quick calls rely on", file, symbol)
	}
	return strings.Join(strings.Fields(text), " ")
}

var lineComment = regexp.MustCompile(`(?m)//.*$`)

func assembly(src, symbol string) string {
	_, text, found := strings.Cut(src, "\nTEXT "+symbol)
	if !found {
		return ""
	}
	text, _, _ = strings.Cut(text, "\nTEXT ")
	return lineComment.ReplaceAllString("TEXT "+symbol+text, "")
}

func goFunc(file string, src []byte, name string) (string, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, src, parser.ParseComments)
	if err != nil {
		return "", err
	}
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != name {
			continue
		}
		var text strings.Builder
		if f.Doc != nil {
			for _, line := range f.Doc.List {
				if strings.HasPrefix(line.Text, "//go:") {
					text.WriteString(line.Text + "\n")
				}
			}
		}
		f.Doc = nil
		err := format.Node(&text, set, f)
		return text.String(), err
	}
	return "", nil
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
