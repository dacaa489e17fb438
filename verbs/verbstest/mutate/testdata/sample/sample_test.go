package sample

import "testing"

func TestSample(t *testing.T) {
	if Larger(1, 2) != 2 || Larger(2, 1) != 2 || Sum(1, 2) != 3 || text("a", "b") != "ab" {
		t.Error("wrong")
	}
}
