//go:build !arm64

package abi

const pthreadMutexSize = 40
