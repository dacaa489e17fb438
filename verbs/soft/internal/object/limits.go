package object

// Limits and numbers that the transport and the connection manager share.
const (
	MaxRDAtomic = 128
	MaxRetry    = 7
	MaxTimer    = 31
	AckDelay    = 8      // 4.096 µs·2⁸ = 1 ms: a round of the engine
	FullPKey    = 0xffff // the default partition, full member

	// GSIQPN is the queue pair of the general services, where management datagrams go; IBA 3.5.3. There is no such queue pair in the table:
	// the engine hands its datagrams to the connection manager.
	GSIQPN = 1
	// MaxMADs bounds the management datagrams that wait to be sent, and those that wait to be read.
	MaxMADs = 4096
)
