//go:build !linux || android || !(amd64 || arm64)

package dl

import (
	"fmt"
	"runtime"
)

var errPlatform = fmt.Errorf("shared libraries cannot be called on %s/%s", runtime.GOOS, runtime.GOARCH)

func load(string) (uintptr, error) { return 0, errPlatform }

func find(uintptr, string) (uintptr, error) { return 0, errPlatform }

func unload(uintptr) error { return errPlatform }

// call is never reached: without load nothing is bound.
func call(uintptr, ...uintptr) uintptr { panic(errPlatform) }
