package session

import (
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
)

// Values that a session takes and returns.
type (
	// Options says what a session works on and where it reports events.
	Options = core.Options
	// Wait describes the running command.
	Wait = core.Wait
	// Snapshot is the state of a session at one moment.
	Snapshot = core.Snapshot
	// ObjectView is an object with what it uses and what uses it.
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
	// RequestView is an outstanding send request.
	RequestView = core.RequestView
	// SendsView holds the outstanding send requests of a queue pair.
	SendsView = core.SendsView
	// FlightView is the progress of a send queue's oldest request.
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
	// CQMode is a mode of taking a queue's completions.
	CQMode = core.CQMode
	// CQStats counts how completions were taken from a queue in one mode.
	CQStats = core.CQStats
	// CQStatsByMode holds the counts of each mode.
	CQStatsByMode = core.CQStatsByMode
)

// States of an identifier, and modes of taking completions.
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

// CQModes lists the modes in which a live session can take completions.
var CQModes = core.CQModes

// What screens and commands need of the packages behind the session.
var (
	// CreateFile creates a file that only its owner can read, and fails if it exists.
	CreateFile = core.CreateFile
	// PayloadFile tells how many bytes a file has that file:PATH names, or why it cannot be read.
	PayloadFile = region.PayloadFile
	// StatusHint explains a failed completion's status and what to check first.
	StatusHint = queue.Hint
	// CompletionValues returns what is known of a completion as values for its explanation.
	CompletionValues = queue.CompletionValues
)
