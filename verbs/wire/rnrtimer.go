package wire

import (
	"strconv"
	"time"
)

// RNRTimer is the code of the delay in an RNR NAK and in a queue pair's min_rnr_timer, 0 to 31 (IBA vol 1, 9.7.5.2).
// The delays rise with the code from 1 on; code 0 is the longest.
type RNRTimer uint8

// rnrTimes is in units of 10 µs, the step of the table.
var rnrTimes = [32]uint32{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

const rnrStep = 10 * time.Microsecond

// Duration returns the time to wait, from 10 µs to 655.36 ms. Only the low five bits of t count.
func (t RNRTimer) Duration() time.Duration {
	return time.Duration(rnrTimes[t&syndromeValue]) * rnrStep
}

// String returns the time in milliseconds.
func (t RNRTimer) String() string { return string(t.appendText(nil)) }

func (t RNRTimer) appendText(dst []byte) []byte {
	ms := float64(rnrTimes[t&syndromeValue]) / 100
	return append(strconv.AppendFloat(dst, ms, 'f', 2, 64), " ms"...)
}
