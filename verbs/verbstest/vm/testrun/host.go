package main

import (
	"fmt"
	"runtime"
	"strings"
)

const (
	installer = "verbs/verbstest/vm/install"
	runner    = "verbs/verbstest/vm/run"
	// testRunner runs a test binary inside the machine.
	testRunner = "verbs/verbstest/vm/runtests"
)

// hostPackages are the packages that tests outside the machine use: a C compiler for the race detector, the
// headers whose layouts are compared, a terminal, a packet dissector, and what makes two hosts of network namespaces.
var hostPackages = []string{"gcc", "iproute2", "libc6-dev", "libibverbs-dev", "librdmacm-dev", "tmux", "tshark"}

// installHostPackages installs them if it has permission. If not, tests that need a missing one report it.
func installHostPackages(r *run) {
	if runtime.GOOS != "linux" {
		return
	}
	if out, err := (command{name: installer, args: hostPackages}).output(r); err != nil {
		fmt.Printf("absent  host packages: %s\n", lastLine(out))
	}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
