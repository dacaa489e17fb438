// Package program holds the tests of the whole program: the built binary with and
// without a terminal, its scripts, and its exported C programs, on the software
// device and, in a virtual machine, on real kernels beside the stock programs. A test
// of a single package belongs in that package, not here.
//
//	go test ./ui/program                          all that runs on this machine
//	go test ./ui/program -run TestJourney -v      one journey through the screens in a terminal
//	make vm-repeat COUNT=1 TESTS='^TestManager$'  one test in the virtual machines
//
// The same without make, as it is convenient while a test is being written:
//
//	CGO_ENABLED=0 go build -o dist/rdmatui .
//	CGO_ENABLED=0 go test -c -o dist/program.test ./ui/program
//	RDMATUI_BINARY=$PWD/dist/rdmatui verbs/verbstest/vm/run -t 300 -- dist/program.test -test.run '^TestManager$' -test.v
//
// The files are grouped by the beginning of their names:
//
//   - main_test.go, process_test.go, side_test.go, console_test.go: what the tests share: the built program, processes,
//     the two ends of a test in the virtual machine, and a program that is given lines one at a time.
//   - terminal_*: the screens in a terminal. Package rdmatui/ui/uitest has the terminal.
//   - headless_*: the built program without a terminal: signals, memory limits, two processes.
//   - script_*: command lines and scripts, carried out in the test's own process; their files are in testdata.
//   - export_*: exported C programs, compiled and run.
//   - interop_*, operations_*, regions_*: against the stock programs and the kernel's devices.
//   - cm_*: the connection manager against the stock programs, in trouble, and with many connections.
//   - shapes_*: networks of other shapes under the device: VLAN, bond, macvlan, namespaces.
//   - flood_*, spoil_*, soak_*: the screen under a flood of completions, under strangers who spoil connections, and for
//     hours.
//   - bench_*: benchmarks beside the stock programs, of the first screen, and of an idle one; `make bench-screen` runs
//     the last two and the floods.
package program
