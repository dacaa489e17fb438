// Rdmatui is an interactive terminal program to bring RDMA up, debug it and
// learn it.
//
// This file is the wiring: the only place that names both providers.
package main

import (
	"net/netip"
	"os"
	"sync"

	"rdmatui/devices"
	"rdmatui/ui"
	"rdmatui/ui/cli"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/native"
	"rdmatui/verbs/soft"
)

// version is set by the release build: -ldflags "-X main.version=1.2.3".
var version = "devel"

func main() { os.Exit(run()) }

func run() int {
	memory.OfProcess().LimitHeap()
	screen := new(ui.Screen)
	ctx, stop := cli.UntilSignal(func(status int, stacks []byte) {
		screen.Restore()
		line.WriteTrace(os.Stderr, stacks)
		os.Exit(status)
	})
	defer stop()
	program := &cli.Program{
		Version: version,
		Native: sync.OnceValue(func() verbs.Provider {
			return native.NewWith(native.Options{PlainCalls: os.Getenv("RDMATUI_QUICK_CALLS") == "0"})
		}),
		Soft: func(addrs []netip.Addr) verbs.Provider {
			return soft.New(soft.Options{
				UDP:     &soft.UDPOptions{Addrs: addrs, NoGSO: os.Getenv("RDMATUI_SOFT_GSO") == "0"},
				Crashed: screen.Crashed,
			})
		},
		Host:   devices.Host(),
		Screen: screen.Run,
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
	}
	return program.Run(ctx, os.Args[1:])
}
