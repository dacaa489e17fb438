package object

// Limits and numbers shared by the transport and the connection manager.
const (
	MaxRDAtomic = 128
	MaxRetry    = 7
	MaxTimer    = 31
	AckDelay    = 8      // 4.096 µs·2⁸ = 1 ms: a round of the engine
	FullPKey    = 0xffff // the default partition, full member

	// GSIQPN is the queue pair of the general services interface, which receives
	// management datagrams; IBA 3.5.3. The table has no such queue pair: the
	// engine passes its datagrams to the connection manager.
	GSIQPN = 1
	// MaxMADs is the maximum number of management datagrams that wait to be sent,
	// and of those that wait to be read.
	MaxMADs = 4096
)
