package queue

import (
	"testing"

	"rdmatui/verbs"
)

// TestDescribeQP: the description has exactly the attributes in the mask.
func TestDescribeQP(t *testing.T) {
	attr := verbs.QPAttr{
		Mask: verbs.AttrState | verbs.AttrPort | verbs.AttrAltPath, QPState: verbs.QPInit, PortNum: 1,
		Timeout: 14, AltTimeout: 9,
	}
	got := describeQP(&attr, &verbs.QPInitAttr{QPType: verbs.UC})
	if got != "qp_type=UC qp_state=INIT port_num=1" {
		t.Errorf("%q", got)
	}
}
