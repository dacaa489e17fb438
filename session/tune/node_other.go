//go:build !linux

package tune

import "errors"

// pin binds the calling goroutine to CPUs. Only Linux tells which belong to a node.
func pin([]int) (release func(), err error) { return nil, errors.ErrUnsupported }
