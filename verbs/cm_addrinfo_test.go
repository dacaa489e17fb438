package verbs

import (
	"errors"
	"fmt"
	"testing"
)

func TestAddrInfoError(t *testing.T) {
	for code, want := range map[AddrInfoError]string{
		AddrInfoNoName:   "rdma_getaddrinfo: Name or service not known (EAI_NONAME)",
		AddrInfoOverflow: "rdma_getaddrinfo: error -12 of name resolution (EAI_OVERFLOW)",
		-105:             "rdma_getaddrinfo: error -105 of name resolution",
	} {
		err := fmt.Errorf("outside: %w", NewOpError("rdma_getaddrinfo", "", code))
		if got := err.Error(); got != "outside: "+want || !errors.Is(err, code) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, code := range AddrInfoErrors.Values() {
		if code >= 0 {
			t.Errorf("%s is %d", AddrInfoErrors.Name(code), code)
		}
	}
}
