package native_test

import (
	"testing"

	"rdmatui/verbs/native"
	"rdmatui/verbs/verbstest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

const vmDevice = "rxe0"

func TestConformance(t *testing.T) {
	vmtest.Need(t)
	verbstest.Run(t, verbstest.Env{Provider: native.New(), Device: vmDevice})
}
