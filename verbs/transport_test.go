package verbs

import (
	"errors"
	"testing"
)

func TestLack(t *testing.T) {
	all := []Trait{ByHand, Datagrams, UnreliableConn, ImmediateData}
	for _, tt := range []struct {
		info  DeviceInfo
		lacks bool
	}{
		{DeviceInfo{Name: "siw0", NodeType: "RNIC", Transport: "iWARP"}, true},
		{DeviceInfo{Name: "siw0", NodeType: "RNIC"}, true},
		{DeviceInfo{Name: "siw0", Transport: "iWARP"}, true},
		{DeviceInfo{Name: "rxe0", NodeType: "CA", Transport: "InfiniBand"}, false},
		{DeviceInfo{Name: "soft0"}, false},
		{DeviceInfo{Name: "usnic_0", NodeType: "USNIC", Transport: "usNIC"}, false},
	} {
		for _, trait := range all {
			if err := tt.info.Lack(trait); (err != nil) != tt.lacks || err != nil && !errors.Is(err, ErrUnsupported) {
				t.Errorf("%+v, trait %d: %v", tt.info, trait, err)
			}
		}
	}
	info := DeviceInfo{Name: "siw0", NodeType: "RNIC", Transport: "iWARP"}
	const want = "siw0 is an RNIC: iWARP connects queue pairs through the connection manager only; " +
		"use rdma_create_id and rdma_create_qp, or a scenario such as hello or rping"
	if err := info.Lack(ByHand); err.Error() != want {
		t.Error(err)
	}
}

func TestTransportOver(t *testing.T) {
	for want, of := range map[string]struct {
		info DeviceInfo
		link LinkLayer
	}{
		"RoCE":       {DeviceInfo{NodeType: "CA", Transport: "InfiniBand"}, LinkEthernet},
		"InfiniBand": {DeviceInfo{NodeType: "CA", Transport: "InfiniBand"}, LinkInfiniBand},
		"iWARP":      {DeviceInfo{NodeType: "RNIC"}, LinkEthernet},
		"usNIC":      {DeviceInfo{NodeType: "USNIC", Transport: "usNIC"}, LinkEthernet},
		"ETHERNET":   {DeviceInfo{}, LinkEthernet},
	} {
		if got := of.info.TransportOver(of.link); got != want {
			t.Errorf("%+v over %s: %s, want %s", of.info, of.link, got, want)
		}
	}
}
