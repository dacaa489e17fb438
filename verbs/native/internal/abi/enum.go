package abi

import "slices"

// Enumerator is one name of a C enum with its value.
type Enumerator struct {
	Name  string
	Value int64
}

// Enum is a C enum. Groups that have no name in the headers have one of ours:
// link_layer, port_flags, access_range, device_cap_flags_ex, address_family,
// rdma_option, rdma_limit.
type Enum struct {
	Name        string
	Enumerators []Enumerator
}

// Enums returns the enumerators of the headers, for checking the conversions at
// the C edge.
func Enums() []Enum { return slices.Clone(enums) }

// Value returns the value of an enumerator by its C name, such as IBV_QPS_RTR.
func Value(name string) (int64, bool) {
	for _, e := range enums {
		for _, v := range e.Enumerators {
			if v.Name == name {
				return v.Value, true
			}
		}
	}
	return 0, false
}
