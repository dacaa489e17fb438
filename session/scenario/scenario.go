// Package scenario is the programs that people start from, as scripts with
// parameters: what each takes, its lines, a run of it step by step, and the other
// end where both are in one program. It carries out lines alone: it makes no call of
// a provider.
package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/cm"
	"rdmatui/session/oob"
	"rdmatui/session/traffic"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// Scenario is a program that people start from, carried out line by line.
type Scenario struct {
	Name    string
	Summary string
	Partner string // the stock program at the other end
	QPType  verbs.QPType
	Size    int       // bytes of a message, where nothing else is wanted
	MTU     verbs.MTU // path MTU likewise; 0: there is none, a message is one packet
	Count   int       // messages likewise
	Port    uint16    // likewise
	Shared  bool      // of several queue pairs on one shared receive queue
	CM      bool      // it connects by the connection manager, and Port is one of its port space
	Group   bool      // the address is a multicast group, for both ends
	Forever bool      // the server goes on until it is stopped

	// Idle is how long a client of a server that stays may be silent; 0: a minute.
	Idle time.Duration
}

// All lists them all.
var All = []Scenario{
	{Name: "rc-pingpong", Summary: "SENDs back and forth over a reliable connection", Partner: "ibv_rc_pingpong",
		QPType: verbs.RC, Size: 4096, MTU: verbs.MTU1024, Count: 1000, Port: oob.DefaultPort},
	{Name: "uc-pingpong", Summary: "the same over an unreliable connection: lost messages are not resent",
		Partner: "ibv_uc_pingpong",
		QPType:  verbs.UC, Size: 4096, MTU: verbs.MTU1024, Count: 1000, Port: oob.DefaultPort},
	{Name: "ud-pingpong", Summary: "datagrams back and forth, each with its own destination",
		Partner: "ibv_ud_pingpong",
		QPType:  verbs.UD, Size: 1024, Count: 1000, Port: oob.DefaultPort},
	{Name: "srq-pingpong", Summary: "several reliable connections that share one receive queue",
		Partner: "ibv_srq_pingpong",
		QPType:  verbs.RC, Size: 4096, MTU: verbs.MTU1024, Count: 1000, Port: oob.DefaultPort, Shared: true},
	{Name: "hello", Summary: "connect with the connection manager, one SEND each way, disconnect",
		Partner: "rdma_client, rdma_server",
		QPType:  verbs.RC, Size: 16, Count: 1, Port: 7471, CM: true},
	{Name: "serve", Summary: "the server of hello in a loop, one client after another", Partner: "rdma_client",
		QPType: verbs.RC, Size: 16, Count: 1, Port: 7471, CM: true, Forever: true},
	{Name: "chat", Summary: "one connection, many messages, until one says disconnect", Partner: "chat",
		QPType: verbs.RC, Size: 32, Count: 1, Port: 7471, CM: true, Forever: true, Idle: 10 * time.Minute},
	{Name: "read-write", Summary: "exchange the address of a region, then one WRITE or READ each way",
		Partner: "the-geek-in-the-corner 02_read-write",
		QPType:  verbs.RC, Size: 1024, Count: 1, Port: 7471, CM: true},
	{Name: "ping", Summary: "SENDs back and forth, with number and size in private data", Partner: "ping",
		QPType: verbs.RC, Size: 64, Count: 1000, Port: 7471, CM: true},
	{Name: "blast", Summary: "a stream of SENDs, with a credit for each posted RECV", Partner: "blast",
		QPType: verbs.RC, Size: 4096, Count: 10, Port: 7471, CM: true},
	{Name: "rping", Summary: "the server READs the client's data and WRITEs it back", Partner: "rping",
		QPType: verbs.RC, Size: 64, Count: 10, Port: 7174, CM: true},
	{Name: "cmatose", Summary: "SENDs of the server, then of the client, over one connection or several",
		Partner: "ucmatose",
		QPType:  verbs.RC, Size: 100, Count: 10, Port: 7471, CM: true},
	{Name: "udaddy", Summary: "datagrams back and forth, to addresses from the connection manager", Partner: "udaddy",
		QPType: verbs.UD, Size: 100, Count: 10, Port: 7174, CM: true},
	{Name: "mckey", Summary: "datagrams to a multicast group, joined by the connection manager", Partner: "mckey",
		QPType: verbs.UD, Size: 100, Count: 10, CM: true, Group: true},
}

// Named returns the scenario of that name, nil if there is none.
func Named(name string) *Scenario {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

// Params are what a scenario can be told. [DefaultScenarioParams] are
// those of the stock program.
type Params struct {
	Name       string
	Device     string        // "": the first device
	DevicePort uint8         // of the device, from 1; 0: the first that is ACTIVE
	GIDIndex   int           // row of the GID table; -1: chosen
	Count      int           // iterations
	Size       int           // bytes of a message
	MTU        verbs.MTU     // path MTU; 0 with datagrams
	RXDepth    int           // RECVs kept posted
	Port       uint16        // TCP port of the out-of-band exchange
	Events     bool          // sleep until completions come instead of polling
	Validate   bool          // check the bytes of every message
	Server     bool          // wait for a client
	Address    string        // of the server, host name or IP address; with Server ""
	Wait       time.Duration // how long to wait for the peer to come
	Idle       time.Duration // of a server that stays: how long a client may be silent
	Persistent bool          // ping and rping: the server stays, and serves one client after another
	QPs        int           // srq-pingpong: queue pairs; both ends alike

	// Of the scenarios over the connection manager.
	Bind        string   // own address, or "any"; "": any, but for the server of a pingpong those of the device
	Here        string   // where the peer reaches this host, for what the peer is to type; "": not known
	Numbers     string   // ping: how the client sends them: be64 or be32; a server takes both
	CM          string   // ping: how events are waited for: event, poll or sync
	Nonblock    bool     // ping: with Events, ask for them without sleeping
	Op          string   // read-write: write or read; both ends alike
	Connections int      // cmatose: how many
	PS          string   // cmatose: the port space, TCP or IB; both ends alike
	Messages    []string // chat: what the client says; nil: what a person types
}

// DefaultParams are what the stock program does without options. Where
// the name is not known they are those of the first scenario.
func DefaultParams(name string) Params {
	sc := Named(name)
	if sc == nil {
		sc = &All[0]
	}
	idle := sc.Idle
	if idle == 0 {
		idle = time.Minute
	}
	return Params{
		Idle: idle, Numbers: "be64",
		Name: name, GIDIndex: -1, Count: sc.Count, Size: sc.Size, MTU: sc.MTU, RXDepth: traffic.PingDepth,
		Port: sc.Port, Wait: defaultWait, QPs: 16, CM: string(cm.ModeEvent), Op: "write",
		Connections: 1, PS: verbs.PortSpaceTCP.String(),
	}
}

// defaultWait is how long the other end is waited for.
const defaultWait = time.Hour

// Check reports the first parameter that the script cannot use.
func (p *Params) Check() error {
	sc := Named(p.Name)
	switch {
	case sc == nil:
		names := make([]string, len(All))
		for i := range All {
			names[i] = All[i].Name
		}
		return fmt.Errorf("no scenario %q; there are %s", p.Name, strings.Join(names, ", "))
	case sc.Group && p.Address == "":
		return errors.New("give the address of the group: both ends need it")
	case p.Persistent && (!p.Server || p.Name != "ping" && p.Name != "rping" && !sc.Forever):
		return errors.New("persistent applies only to the servers of ping and rping")
	case p.Name == "serve" && !p.Server:
		return fmt.Errorf("%s is only a server: run it as the server; its clients run hello", p.Name)
	case !sc.Group && p.Server == (p.Address != ""):
		return errors.New("run it as the server, or give the server's address, not both")
	case p.Count < 1 || p.Size < 1 || p.RXDepth < 1:
		return errors.New("the number of iterations, the message size and the number of RECVs must be at least 1")
	case p.RXDepth > MaxRecvs:
		return fmt.Errorf("the number of RECVs must be at most %d", MaxRecvs)
	case p.Size > MaxSize:
		return fmt.Errorf("a message has at most %s", format.Size(MaxSize))
	case (p.Name == "rping" || p.Name == "chat") && p.Size > MaxTyped:
		return fmt.Errorf("a message of %s has at most %s, because it is typed as a line", p.Name,
			format.Size(MaxTyped))
	case sc.MTU == 0 && p.MTU != 0:
		return fmt.Errorf("%s has no path MTU: a message is one packet", p.Name)
	case sc.MTU != 0 && p.MTU.Bytes() == 0:
		return errors.New("the MTU must be one of 256 512 1024 2048 4096 bytes")
	case sc.Shared && (p.QPs < 1 || p.QPs >= oob.MaxShared || p.QPs > p.RXDepth):
		return fmt.Errorf("the number of queue pairs must be 1 to %d, with at least one RECV for each", oob.MaxShared-1)
	case p.Address != "" && !cm.IsHost(p.Address):
		return fmt.Errorf("%q is not a host name or IP address", p.Address)
	}
	if sc.CM {
		return p.checkManaged()
	}
	return nil
}

// checkManaged checks the parameters that only scenarios over the connection manager have.
func (p *Params) checkManaged() error {
	switch {
	case p.Bind != "" && !cm.IsHost(p.Bind):
		return fmt.Errorf("%q is not a host name or IP address", p.Bind)
	case !slices.Contains([]cm.Mode{cm.ModeEvent, cm.ModePoll, cm.ModeSync}, cm.Mode(p.CM)):
		return errors.New("the event mode must be event, poll or sync")
	case p.Nonblock && !p.Events:
		return errors.New("polling for events without sleeping needs events")
	case p.Numbers != "be64" && p.Numbers != "be32":
		return errors.New("the format of the numbers in private data must be be64 or be32")
	case p.Op != "write" && p.Op != "read":
		return errors.New("the operation must be write or read")
	case p.Connections < 1 || p.Connections > maxConnections:
		return fmt.Errorf("the number of connections must be 1 to %d", maxConnections)
	case p.PS != verbs.PortSpaceTCP.String() && p.PS != verbs.PortSpaceIB.String():
		return errors.New("the port space must be TCP or IB")
	case p.DevicePort != 0 || p.GIDIndex >= 0:
		return fmt.Errorf("%s takes no device port or GID: the connection manager chooses them by address; give a local address with bind", p.Name)
	case p.Device != "" && strings.ContainsAny(p.Device, " \t\"#"):
		return fmt.Errorf("%q is not a device", p.Device)
	}
	if p.Name == "chat" && p.Size <= len(chatAnswer) {
		return fmt.Errorf("the message size must be at least %d bytes: each answer starts with %q",
			len(chatAnswer)+1, chatAnswer)
	}
	for _, m := range p.Messages {
		if len(m) > p.Size {
			return fmt.Errorf("%q is longer than the message size, %s", m, format.Counted(p.Size, "byte"))
		}
	}
	return nil
}

// MaxSize bounds a message, in bytes; no transport has longer ones.
const MaxSize = 1 << 31

// MaxRecvs bounds the RECVs kept posted; no device has longer queues.
const MaxRecvs = 1 << 20

// MaxTyped bounds a message whose bytes the script writes out.
const MaxTyped = 1 << 18

// maxConnections bounds those of one scenario.
const maxConnections = 64

// The methods below are for the template.

// Role is the name of the end that this is.
func (p Params) Role() string {
	if p.Server {
		return "server"
	}
	return "client"
}

// Room is what a RECV needs for a datagram: the message with a GRH before it.
func (p Params) Room() int { return verbs.GRHLen + p.Size }

// Completions is how many the queue must hold.
func (p Params) Completions() int { return p.RXDepth + 1 }

// DeviceArg is the argument that names the device, "" where it is to be chosen.
func (p Params) DeviceArg() string {
	if p.Device == "" {
		return ""
	}
	return " device=" + p.Device
}

// PortNum is the port, or a reference to the device's usual one.
func (p Params) PortNum() string {
	if p.DevicePort == 0 {
		return p.Device + ".port_num"
	}
	return fmt.Sprint(p.DevicePort)
}

// SGIDIndex is the argument that names the GID, "" where it is to be chosen.
func (p Params) SGIDIndex() string {
	if p.GIDIndex < 0 {
		return ""
	}
	return fmt.Sprintf(" sgid_index=%d", p.GIDIndex)
}

// EventDigit is 1 where completions raise events.
func (p Params) EventDigit() string { return ccall.Bool(p.Events) }

// ValidateDigit is 1 where the bytes are checked.
func (p Params) ValidateDigit() string { return ccall.Bool(p.Validate) }

// Lack returns an error where a scenario cannot run on a device: its transport does not have what that is about.
func (sc *Scenario) Lack(info *verbs.DeviceInfo) error {
	switch {
	case !sc.CM:
		return info.Lack(verbs.ByHand)
	case sc.QPType == verbs.UD:
		return info.Lack(verbs.Datagrams)
	}
	return nil
}
