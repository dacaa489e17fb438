package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"rdmatui/verbs"
)

// Bounds of the datagrams.
const (
	maxDatagrams = 16
	maxDatagram  = 9200 // bytes of payload: a jumbo frame
	// arrivalWait is how long udp_arrived waits for a datagram that may still be under way.
	arrivalWait = 300 * time.Millisecond
	// refusalWait is how long udp_send waits for the answer that nobody listens.
	refusalWait = 200 * time.Millisecond
)

// listener is the socket on which an agent receives datagrams.
type listener struct{ conn *net.UDPConn }

func (l *listener) close() {
	if l.conn != nil {
		l.conn.Close()
	}
	l.conn = nil
}

// Endpoint is where udp_listen listens.
type Endpoint struct {
	Addr netip.Addr `json:"addr"`
}

// udpListen opens a UDP socket at an address of this host and returns its port. It replaces the one before.
func (v *server) udpListen(_ context.Context, p Endpoint) (uint16, error) {
	v.udp.close()
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(p.Addr, 0)))
	if err != nil {
		return 0, err
	}
	v.udp.conn = conn
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Port(), nil
}

// Datagrams are what udp_send sends.
type Datagrams struct {
	From  netip.Addr `json:"from"`
	To    netip.Addr `json:"to"`
	Port  uint16     `json:"port"`
	Sizes []int      `json:"sizes"` // bytes of payload of each datagram
}

// Sent says what became of a datagram at its sender.
type Sent struct {
	Size  int    `json:"size"`
	Errno string `json:"errno,omitempty"` // "EMSGSIZE", "ECONNREFUSED" …; "": nothing is known to be wrong
}

// udpSend sends datagrams that routers must not fragment, and waits a moment for the answer that the port or host is
// unreachable, which then counts for the last of them.
func (v *server) udpSend(ctx context.Context, p Datagrams) ([]Sent, error) {
	if len(p.Sizes) > maxDatagrams {
		return nil, fmt.Errorf("%d datagrams; at most %d", len(p.Sizes), maxDatagrams)
	}
	dialer := net.Dialer{LocalAddr: net.UDPAddrFromAddrPort(netip.AddrPortFrom(p.From, 0)), Control: dontFragment}
	conn, err := dialer.DialContext(ctx, "udp", netip.AddrPortFrom(p.To, p.Port).String())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	sent := make([]Sent, 0, len(p.Sizes))
	for i, size := range p.Sizes {
		if size < 0 || size > maxDatagram {
			return nil, fmt.Errorf("a datagram of %d bytes; at most %d", size, maxDatagram)
		}
		_, err := conn.Write(make([]byte, size))
		if err == nil && i == len(p.Sizes)-1 {
			err = refusal(conn)
		}
		sent = append(sent, Sent{size, errnoOf(err)})
	}
	return sent, nil
}

// refusal waits for the error that an ICMP message causes; nil if none comes.
func refusal(conn net.Conn) error {
	if err := conn.SetReadDeadline(time.Now().Add(refusalWait)); err != nil {
		return err
	}
	var one [1]byte
	_, err := conn.Read(one[:])
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return nil
	}
	return err
}

func errnoOf(err error) string {
	var no syscall.Errno
	switch {
	case err == nil:
		return ""
	case errors.As(err, &no):
		return verbs.ErrnoName(no)
	}
	return err.Error()
}

// Arrived is a datagram that was received.
type Arrived struct {
	Size int        `json:"size"`
	From netip.Addr `json:"from"`
}

// arrivedParams are those of udp_arrived.
type arrivedParams struct {
	Want int `json:"want"` // how many to wait for
}

// udpArrived returns the datagrams that have arrived since udp_listen or the last udp_arrived.
func (v *server) udpArrived(_ context.Context, p arrivedParams) ([]Arrived, error) {
	list := []Arrived{}
	if v.udp.conn == nil {
		return list, errors.New("udp_listen first")
	}
	if err := v.udp.conn.SetReadDeadline(time.Now().Add(arrivalWait)); err != nil {
		return list, err
	}
	buf := make([]byte, maxDatagram+1)
	for len(list) < min(p.Want, maxDatagrams) {
		n, from, err := v.udp.conn.ReadFromUDPAddrPort(buf)
		if err != nil {
			break // the deadline
		}
		list = append(list, Arrived{n, from.Addr().Unmap()})
	}
	return list, nil
}
