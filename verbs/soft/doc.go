// Package soft is a RoCEv2 device in software: a provider for machines without RDMA hardware, and a second one to
// compare a real device with.
//
// An adapter corresponds to a card: it has addresses, a carrier for its packets, faults to inject and a tap. A context
// is one opening of it. This package has the provider, its devices with their attributes and counters, and the
// connections between the packages below, which do not import it: package transport has queue pairs, their queues, and
// the engine that moves all packets; package mem has memory and checks access to it; package cm has connections and
// their manager, one for all adapters, as on a host; package link has the carriers; and package object has what all
// objects share. Datagrams for queue pair 1 go from the engine to the manager, and the answers go out in the engine's
// next round. Package transport alone decides what a queue pair does with a packet.
//
// Tests lie beside what they test, as those of the connection manager in package cm. The tests of this package are
// those of the whole device, which reach several of the packages through their objects.
//
// Locks are taken in this order: connection manager, context, multicast groups, queue pair, its send and receive queue
// or the shared one, region, completion queue, event queue. An adapter's own lock, which guards its opening and
// closing, is taken after the context's. Its holder may wait for the engine to end, so it must not be taken while
// holding a lock that the engine takes.
//
// # State that strangers can create
//
// Everybody who reaches UDP port 4791 can make the device keep state. Each kind is bounded in number and in time; when
// a table is full, the source with the most entries loses one (ring.Victim). The counters are among those of the
// device.
//
//	state                       created by                         bound                                 ends                                    counter
//	datagrams for queue pair 1  any MAD                            4,096 (MaxMADs)                       when read, at once                      dropped_mads
//	answers to send             any MAD                            4,096 (MaxMADs)                       when sent, in the engine's next round   none: lost, as on a network
//	request, identifier         REQ or SIDR_REQ to a listener      1,024 unanswered (cm.MaxPending), and after the sender's retries × response   cm_expired, cm_evicted,
//	                                                               the backlog of those not taken        time, at most 5 min, or 18 min if it    cm_no_room
//	                                                                                                     keeps asking; a REJ (cm/request.go)
//	events of the manager       REQ, and the messages after it     a few per identifier, 65,536 in all   with the identifier                     none: those of requests
//	                                                               (cm.maxEvents)
//	connection in time-wait     DREQ, REJ of an accepted one       16,384 (cm.MaxResting)                after the packets' lifetime, at most    cm_timewait_cut
//	                                                                                                     69 s
//	kept SIDR answer            SIDR_REQ that was answered         2,048 (2·cm.MaxPending)               after 8 s (cm.restTime)                 cm_sidr_forgotten
//	queue pair number not       a connection that ended            the number of accepted ones           after 8 s (cm.restTime)                 none
//	reused yet
//	probe of a peer             REQ with a connection's numbers    one per connection                    after 1 s of probes (cm/stale.go)       cm_stale_alive
//	path of a peer              a packet with a right ICRC         1,024 (package link, generation)      when the other half is full: the half   none: it is made again
//	                                                                                                     heard from least recently is dropped
//	identifications of a peer   a packet with a right ICRC         1,024 addresses (as for paths)        as for paths                            odd_ip_id
//	member of a group           nobody: only programs join         256 (maxMcastAll)                     with its queue pair                     none: ENOMEM
//
// A session adds limits of its own, whichever device it uses; its time line notes when one takes effect:
//
//	state                   created by                     limit                                       ends
//	request of a listener   REQ, SIDR_REQ                  256 unanswered (session.maxRequests); then  when the sender gives up, or with
//	                                                       one of the address with the most is dropped reject_all
//	child of a listener     REQ that was accepted          4,096 (session.maxChildren)                 after DISCONNECTED, when it is destroyed
//	event not taken         any of the above               session.cmInboxCap per identifier           with its identifier
//	line about a request    REQ                            500 at once, then 5 per second              when the time line overwrites it
//	out-of-band connection  TCP to the port of a scenario  8 at a time (maxPending of package oob)     after 30 s (oob.PeerLimit), or when a
//	                        that waits for its peer                                                    ninth arrives: the longest silent one
package soft
