package dl

import (
	"runtime"
	"unsafe"
)

// dlInfo mirrors Dl_info; dladdr(3).
type dlInfo struct {
	fileName uintptr
	fileBase uintptr
	symName  uintptr
	symAddr  uintptr
}

// maxPath is PATH_MAX of Linux.
const maxPath = 4096

// PathOf returns the file from which the loader took the named function, or ""
// if unknown. It may be one of the library's dependencies.
func (l *Library) PathOf(symbol string) string {
	addr, err := l.lookup(symbol)
	if err != nil {
		return ""
	}
	dladdr, err := l.lookup("dladdr")
	if err != nil {
		return "" // in another library before glibc 2.34
	}
	var info dlInfo
	found := call(dladdr, addr, uintptr(unsafe.Pointer(&info)))
	defer runtime.KeepAlive(&info)
	if int32(found) == 0 {
		return ""
	}
	return String(info.fileName, maxPath)
}
