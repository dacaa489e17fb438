// Package wirecheck checks every packet that a software device sends against the
// rules of RoCE v2, from the outside: it uses only the bytes, the addresses and
// the IP header, and shares no code with the device or its codec.
//
//	c := wirecheck.New()
//	provider.TapPackets("soft0", c.See)
//	provider.TapPackets("soft1", c.See)
//	… traffic …
//	c.Report(t)
//
// In each packet it checks the ICRC, the reserved fields, the pad, the length
// against the path MTU, and the flags that the opcode allows. In the requests of a
// queue pair it checks the PSNs, the order of FIRST, MIDDLE and LAST, the length in
// the RETH, and that a repeated packet equals the original. In the answers it
// checks that each belongs to a request, their order, syndrome and MSN, and the
// PSNs and lengths of READ responses.
//
// An RC packet does not name the queue pair that sent it. The checker therefore
// compares answers with all requests of the opposite direction between the two
// addresses at the time of the first answer, and drops those that do not match. With
// one connection the check is exact; with several between the same addresses it
// becomes exact as soon as their PSNs differ. Answers to a peer whose requests were
// never seen are checked only on their own.
package wirecheck
