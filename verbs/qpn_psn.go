package verbs

import "fmt"

// QPN is a queue pair number, 24 bits. 0 and 1 are the management QPs,
// 0xffffff means multicast. IBA 3.5.3.
type QPN uint32

// PSN is a packet sequence number, 24 bits; it wraps. IBA 9.7.1.
type PSN uint32

// MaxQPN and MaxPSN are the largest 24-bit values.
const (
	MaxQPN QPN = 1<<24 - 1
	MaxPSN PSN = 1<<24 - 1
)

// String renders the number as six hexadecimal digits.
func (n QPN) String() string { return fmt.Sprintf("0x%06x", uint32(n)) }

// String renders the number as six hexadecimal digits.
func (n PSN) String() string { return fmt.Sprintf("0x%06x", uint32(n)) }
