package abi

import "bytes"

// CString returns the text in a fixed C array, up to its NUL or, should the NUL
// be missing, to the end of the array.
func CString(array []byte) string {
	if i := bytes.IndexByte(array, 0); i >= 0 {
		array = array[:i]
	}
	return string(array)
}
