// Package cm is the connection manager of the software devices: what on a host is one for all its devices. It has the identifiers and event
// channels of rdma_cm, and speaks the CM and SIDR protocols to the peers' managers; IBA 12.
//
// A connection as two managers see it (conn.go) and the identifier that a program has of it (id.go) are two things: the one outlives the
// other. Datagrams for queue pair 1 come by [Manager.Arrived], which never waits, and are read by a goroutine that lives as long as there is
// something to read. What a peer can have the manager keep is bounded in number and in time; the comment of package soft lists the bounds.
//
// A manager works on devices by three small interfaces: [Device], [Context] and [QP]. Its lock is taken before any of theirs.
//
// No packet but the manager's own datagrams comes here, and no memory: how a queue pair moves data is the transport's business, and which
// link carries it the device's.
package cm
