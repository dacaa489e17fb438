package session

import "rdmatui/session/core"

// Values that a session takes and hands out.
type (
	// Options says what a session works on and where it tells of it.
	Options = core.Options
	// Wait is the command that is being carried out.
	Wait = core.Wait
	// Snapshot is the session at one moment.
	Snapshot = core.Snapshot
	// ObjectView is an object's place in the graph.
	ObjectView = core.ObjectView
	// DeviceView is an open device.
	DeviceView = core.DeviceView
	// PDView is a protection domain.
	PDView = core.PDView
	// MRView is a memory region.
	MRView = core.MRView
	// MWView is a memory window.
	MWView = core.MWView
	// CQView is a completion queue.
	CQView = core.CQView
	// SRQView is a shared receive queue.
	SRQView = core.SRQView
	// QPView is a queue pair.
	QPView = core.QPView
	// RequestView is a send request that has not completed.
	RequestView = core.RequestView
	// SendsView is the send requests of a queue pair that have not completed.
	SendsView = core.SendsView
	// FlightView is how far the oldest request of a send queue has come.
	FlightView = core.FlightView
	// AHView is an address handle.
	AHView = core.AHView
	// PeerView is the result of an exchange.
	PeerView = core.PeerView
	// RemoteRegion is memory of a peer.
	RemoteRegion = core.RemoteRegion
	// EventChannelView is an event channel of the connection manager.
	EventChannelView = core.EventChannelView
	// IDView is an identifier of the connection manager.
	IDView = core.IDView
	// IDState is the state of an identifier.
	IDState = core.IDState
	// StepTime is how long one step of an identifier took.
	StepTime = core.StepTime
	// CQMode is a way to take the completions of a queue.
	CQMode = core.CQMode
	// CQStats counts how completions were taken from a queue in one way.
	CQStats = core.CQStats
	// CQStatsByMode are the counts of each way.
	CQStatsByMode = core.CQStatsByMode
)

// States of an identifier, and ways to take completions.
const (
	IDIdle          = core.IDIdle
	IDBound         = core.IDBound
	IDAddrResolved  = core.IDAddrResolved
	IDRouteResolved = core.IDRouteResolved
	IDListening     = core.IDListening
	IDRequest       = core.IDRequest
	IDConnecting    = core.IDConnecting
	IDConnected     = core.IDConnected
	IDDisconnected  = core.IDDisconnected
	IDError         = core.IDError

	ByHand      = core.ByHand
	Resting     = core.Resting
	Busy        = core.Busy
	Blocking    = core.Blocking
	Nonblocking = core.Nonblocking
)

// CQModes lists the ways in which a live session can take completions.
var CQModes = core.CQModes
