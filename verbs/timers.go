package verbs

import "time"

// AckTimeout decodes the QP attribute timeout: 4.096 µs · 2ⁿ for n in 1..31. 0 means
// infinite and is returned as 0. A requester may wait up to four times as long. IBA
// 9.7.6.1.3, 11.6.2.8.
func AckTimeout(n uint8) time.Duration {
	if n == 0 || n > 31 {
		return 0
	}
	return 4096 * time.Nanosecond << n
}

// rnrTimers holds the RNR NAK timer codes in units of 10 µs; code 0 is the longest. IBA
// 9.7.5.2.8, table 46.
var rnrTimers = [32]uint32{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

// RNRTimer decodes min_rnr_timer (0..31): how long a requester waits before it retries
// a request that found no RECV. 0 is 655.36 ms, 1 is 0.01 ms, 31 is 491.52 ms.
func RNRTimer(n uint8) time.Duration {
	return time.Duration(rnrTimers[n&31]) * 10 * time.Microsecond
}

// InfiniteRNRRetry is the rnr_retry value for unlimited retries. ibv_modify_qp(3).
const InfiniteRNRRetry = 7
