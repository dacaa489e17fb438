package sample

import (
	"testing"
	"time"
)

// What the package gets beside its own must not bear these names.
const os, strconv, atomic = 1, 2, 3

func TestSum(t *testing.T) {
	if Sum(1) != 1 || Sum(1, 2) != 3 || text("a", "b") != "ab" {
		t.Error("wrong")
	}
}

func TestLarger(t *testing.T) {
	if Larger(1, 2) != 2 || Larger(2, 1) != 2 {
		t.Error("wrong")
	}
}

func TestMebibytes(t *testing.T) {
	if Mebibytes(3<<20) != 3 {
		t.Error("wrong")
	}
}

func TestLate(t *testing.T) {
	if Late(0, nil) || !Late(time.Minute, func() {}) {
		t.Error("wrong")
	}
}
