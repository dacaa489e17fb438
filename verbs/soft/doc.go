// Package soft is a RoCEv2 device made of software alone: a provider for machines without RDMA hardware, and a second one to compare
// a real device with.
//
// An adapter is what a card would be: its addresses, what carries its packets, the faults put into them and the tap that shows them. A
// context is one opening of it. Here are the provider, its devices with their attributes and counters, and the joints between the packages
// below, which have no way up to this one: package transport has queue pairs, their queues, and the engine that moves all packets; package mem
// the memory, and checks who may touch it; package cm the connections and their manager, one for all adapters as on a host; package link carries
// the packets; and package object has what all objects share. Datagrams for queue pair 1 go from the engine to the manager, and back in the
// engine's next round. What a queue pair does with a packet never is here.
//
// Locks are taken in this order: connection manager, context, multicast groups, queue pair, its send and receive queue or the shared one,
// region, completion queue, event queue. An adapter's own lock, which guards its opening and closing, is taken after the
// context's. Who has it may wait for the engine to end; so nobody asks for it with a lock that the engine takes.
//
// # What strangers can make
//
// Whoever reaches UDP port 4791 can have the device keep something. Each kind is bounded in number and in time; where a table is full the source
// that has the most entries loses (package fair). The counters are among those of the device.
//
//	state                       made by                            bound                                 ends after                              counter
//	datagrams for queue pair 1  any MAD                            4,096 (MaxMADs)                       read at once                            dropped_mads
//	answers to be sent          any MAD                            4,096 (MaxMADs)                       sent in the engine's next round         none: lost, as on a network
//	request, identifier         REQ, SIDR_REQ that is wanted       1,024 unanswered (cm.MaxPending), and the sender's retries × response time,   cm_expired, cm_evicted,
//	                                                               the backlog of those not taken        5 min at most; 18 min where it keeps    cm_no_room
//	                                                                                                     asking; a REJ (cm/request.go)
//	events of the manager       REQ, and what follows it           a handful of each identifier,         withdrawn with the identifier           none: those of requests
//	                                                               65,536 in all (cm.maxEvents)
//	connection in time-wait     DREQ, REJ of an accepted one       16,384 (cm.MaxResting)                the packets' lifetime, 69 s at most     cm_timewait_cut
//	kept SIDR answer            SIDR_REQ that was answered         2,048 (2·cm.MaxPending)               8 s (cm.restTime)                       cm_sidr_forgotten
//	number that rests           a connection that ended            as many as were accepted              8 s (cm.restTime)                       none
//	doubt about a peer          REQ with a connection's numbers    one of each connection                1 s of probes (cm/stale.go)             cm_stale_alive
//	path of a peer              a packet with a right ICRC         1,024 (package link, generation)      the half that was not heard of lately   none: it is made again
//	                                                                                                     goes when the other half is full
//	identifications of a peer   a packet with a right ICRC         1,024 addresses (as for paths)        as for paths                            odd_ip_id
//	member of a group           nobody: programs join              256 (maxMcastAll)                     its queue pair                          none: ENOMEM
//
// A session adds bounds of its own, whichever device is used, and its time line tells where one bites:
//
//	state                   made by                        bound                                       ends after
//	request of a listener   REQ, SIDR_REQ                  256 unanswered (session.maxRequests); of    the sender gives up, or reject_all
//	                                                       the address that has the most one goes
//	child of a listener     REQ that was accepted          4,096 (session.maxChildren)                 a DISCONNECTED event and its end here
//	event not taken         any of the above               session.cmInboxCap of each identifier       its identifier is destroyed
//	line about a request    REQ                            500 at once, then 5 a second                 the time line has gone round
//	out-of-band connection  TCP to the port of a scenario  8 heard at a time (maxPending of package    30 s (oob.PeerLimit), or a ninth comes:
//	                        that waits for its peer        oob)                                        who was silent longest goes
package soft
