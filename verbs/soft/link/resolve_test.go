package link

import (
	"errors"
	"net"
	"testing"

	"rdmatui/verbs"
)

func TestResolverErrors(t *testing.T) {
	for want, err := range map[verbs.AddrInfoError]error{
		verbs.AddrInfoNoName:     &net.DNSError{IsNotFound: true},
		verbs.AddrInfoAgain:      &net.DNSError{IsTimeout: true},
		verbs.AddrInfoAddrFamily: &net.AddrError{Err: "no suitable address found"},
		verbs.AddrInfoFail:       errors.New("something else"),
	} {
		if got := resolverError(err); got != want {
			t.Errorf("%v is %v, want %v", err, got, want)
		}
	}
	if got := resolverError(&net.DNSError{IsTemporary: true}); got != verbs.AddrInfoAgain {
		t.Error(got)
	}
}

func TestResolveNumbers(t *testing.T) {
	if port, err := ResolvePort(t.Context(), "tcp", "7471"); port != 7471 || err != nil {
		t.Error(port, err)
	}
	if port, err := ResolvePort(t.Context(), "udp", "no-such-service"); err != verbs.AddrInfoService {
		t.Error(port, err)
	}
	if addr, err := ResolveHost(t.Context(), "127.0.0.9", verbs.FamilyInet); addr.String() != "127.0.0.9" || err != nil {
		t.Error(addr, err)
	}
}
