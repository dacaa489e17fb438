package oob

import (
	"context"
	"errors"
)

// MaxShared is how many records each end of ibv_srq_pingpong sends, whatever the
// number of its queue pairs; those that are not in use are zero throughout.
const MaxShared = 256

// ErrTooMany is the error for more queue pairs than an exchange can carry.
var ErrTooMany = errors.New("an exchange is limited to 255 queue pairs")

// SendAll writes the own records, and empty ones up to [MaxShared].
func (c *Conn) SendAll(ctx context.Context, own []Record) error {
	if len(own) >= MaxShared {
		return ErrTooMany // the stock program's own limit
	}
	b := make([]byte, 0, MaxShared*RecordLen)
	for i := range MaxShared {
		var r Record
		if i < len(own) {
			r = own[i]
		}
		b = append(b, r.Wire()...)
	}
	return c.write(ctx, b)
}

// ReceiveAll reads the peer's [MaxShared] records and returns those before the
// first empty one.
func (c *Conn) ReceiveAll(ctx context.Context) ([]Record, error) {
	b := make([]byte, MaxShared*RecordLen)
	if err := c.read(ctx, b, "its address records"); err != nil {
		return nil, err
	}
	var records []Record
	for i := range MaxShared {
		r, err := ParseWire(b[i*RecordLen : (i+1)*RecordLen])
		switch {
		case err != nil:
			return nil, err
		case r.QPN == 0:
		case len(records) < i:
			return nil, errors.New("an empty address record precedes one that is not empty")
		default:
			records = append(records, r)
		}
	}
	return records, nil
}
