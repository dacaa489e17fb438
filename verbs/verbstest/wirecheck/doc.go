// Package wirecheck holds every packet that a software device sends against the
// rules of RoCE v2, from the outside: it knows no more than the bytes, the
// addresses and the IP header, and shares no code with the device or its codec.
//
//	c := wirecheck.New()
//	provider.TapPackets("soft0", c.See)
//	provider.TapPackets("soft1", c.See)
//	… traffic …
//	c.Report(t)
//
// Of each packet it checks the ICRC, reserved fields, pad, the length against
// the path MTU, and which flags its opcode allows. Of the requests of a queue
// pair it checks the PSNs, the order of FIRST, MIDDLE and LAST, the length that
// the RETH announces, and that what is sent again is what was sent before. Of
// the answers it checks that they were asked for, their order, syndrome and MSN,
// and the PSNs and lengths of what a READ brings.
//
// A packet of RC does not say which queue pair sent it. Answers are therefore
// held against all requests that went the other way between the two addresses
// when the first answer came, until at most those are left that they fit: with
// one connection the check is exact, with many between the same addresses it
// grows exact as soon as their PSNs differ. Answers to a peer that was never
// seen are checked as far as they speak for themselves.
package wirecheck
