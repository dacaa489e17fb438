package abi

import (
	"debug/elf"
	"runtime"
	"strings"
	"testing"
)

// exports adds the default versions of the functions that an installed library exports.
func exports(t *testing.T, library, pkg string, out map[string]string) {
	t.Helper()
	for _, dir := range []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
		"/usr/lib64", "/usr/lib", "/lib"} {
		f, err := elf.Open(dir + "/" + library)
		if err != nil {
			continue
		}
		defer f.Close()
		symbols, err := f.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range symbols {
			if s.Section != elf.SHN_UNDEF && !s.VersionIndex.IsHidden() {
				out[s.Name] = s.Version
			}
		}
		return
	}
	missing(t, "no "+library+": install "+pkg)
}

func TestSymbolsMatchTheLibraries(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the libraries are Linux's")
	}
	exported := map[string]string{}
	exports(t, "libibverbs.so.1", "libibverbs1 (libibverbs)", exported)
	exports(t, "librdmacm.so.1", "librdmacm1 (librdmacm)", exported)
	for _, s := range Symbols() {
		if got := exported[s.Name]; got != s.Since {
			t.Errorf("%s: the library exports it as %q, the table says %q", s.Name, got, s.Since)
		}
	}
}

func TestInlineSymbolsReachSomething(t *testing.T) {
	layout, _ := readTable(t, tableFor(t))
	seen := map[string]bool{}
	for _, s := range Symbols() {
		if seen[s.Name] {
			t.Errorf("%s: listed twice", s.Name)
		}
		seen[s.Name] = true
		if (s.Kind == Real) != (s.Via == "") {
			t.Errorf("%s: kind %d with via %q", s.Name, s.Kind, s.Via)
		}
		if s.Via == "" {
			continue
		}
		member := strings.Replace(s.Via, "ibv_context.ops.", "ibv_context_ops.", 1)
		via, isSymbol := SymbolNamed(s.Via)
		if _, isMember := layout[member]; !isMember && !(isSymbol && via.Kind == Real) {
			t.Errorf("%s: via %q is neither a member nor a real symbol", s.Name, s.Via)
		}
	}
}
