package traffic

import (
	"fmt"

	"rdmatui/verbs"
)

// CompletionError is a failed completion where every one had to succeed.
type CompletionError struct{ WC verbs.WC }

func (e *CompletionError) Error() string {
	return fmt.Sprintf("wr_id %d completed with %s, vendor_err 0x%x", e.WC.WRID, e.WC.Status, e.WC.VendorErr)
}
