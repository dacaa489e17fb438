// Package world simulates two sessions on hosts with software devices that share one network, in virtual time and all
// from one seed: the lines that each session is given, when one that waits is stopped, and what the network does to
// packets. The lines come from the table of commands, with values that fit or do not, and from recipes that connect the
// sessions and move data between them.
//
// Each seed is held against these rules:
//
//   - every line ends: by itself, or at once when it is stopped;
//   - the snapshot agrees with the provider: while no line runs, the session knows as many objects of each kind as
//     there are;
//   - once both sessions are closed no object, no byte of the memory budget and no goroutine is left.
//
// Package sim says how a seed replays. What would wait outside virtual time is not drawn: see undrawn.
//
// A seed that fails is printed with the command that runs it again:
//
//	go test ./session/world -run 'TestWorld$' -seed=N -v
package world
