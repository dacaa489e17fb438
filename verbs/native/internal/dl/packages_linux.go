package dl

// packages names the package to install for a missing library.
var packages = map[string]string{
	"libibverbs.so.1": "install libibverbs1 and ibverbs-providers (Debian, Ubuntu) or libibverbs (Fedora, RHEL)",
	"librdmacm.so.1":  "install librdmacm1 (Debian, Ubuntu) or librdmacm (Fedora, RHEL)",
}
