// Package cm is the connection manager of the software devices; all devices of a host share one. It provides the
// identifiers and event channels of rdma_cm, and speaks the CM and SIDR protocols with the peers' managers; IBA 12.
//
// The connection between two managers (conn.go) and a program's identifier for it (id.go) are separate: either can
// outlive the other. [Manager.Arrived] takes datagrams for queue pair 1 without blocking; a goroutine that exists only
// while there are some processes them. The state that a peer can create is limited in number and in time; the comment
// of package soft lists the limits.
//
// A manager uses devices through three small interfaces: [Device], [Context] and [QP]. Its lock is taken before any of
// theirs.
//
// This package sees only the manager's own datagrams, and no memory: the transport moves a queue pair's data, and the
// device chooses its link.
package cm
