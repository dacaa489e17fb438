package verbs

import "fmt"

// AddrInfoError is why a name could not be resolved: a code of getaddrinfo(3),
// as glibc numbers them.
type AddrInfoError int32

// Codes; the values are those of netdb.h.
const (
	AddrInfoBadFlags   AddrInfoError = -1
	AddrInfoNoName     AddrInfoError = -2
	AddrInfoAgain      AddrInfoError = -3
	AddrInfoFail       AddrInfoError = -4
	AddrInfoNoData     AddrInfoError = -5
	AddrInfoBadFamily  AddrInfoError = -6
	AddrInfoSockType   AddrInfoError = -7
	AddrInfoService    AddrInfoError = -8
	AddrInfoAddrFamily AddrInfoError = -9
	AddrInfoMemory     AddrInfoError = -10
	AddrInfoSystem     AddrInfoError = -11
	AddrInfoOverflow   AddrInfoError = -12
)

// AddrInfoErrors names the codes.
var AddrInfoErrors = Enum[AddrInfoError]{"gai_error", "EAI_", map[AddrInfoError]string{
	AddrInfoBadFlags: "BADFLAGS", AddrInfoNoName: "NONAME", AddrInfoAgain: "AGAIN", AddrInfoFail: "FAIL",
	AddrInfoNoData: "NODATA", AddrInfoBadFamily: "FAMILY", AddrInfoSockType: "SOCKTYPE", AddrInfoService: "SERVICE",
	AddrInfoAddrFamily: "ADDRFAMILY", AddrInfoMemory: "MEMORY", AddrInfoSystem: "SYSTEM", AddrInfoOverflow: "OVERFLOW",
}}

// addrInfoTexts are what gai_strerror(3) says, where it has words.
var addrInfoTexts = map[AddrInfoError]string{
	AddrInfoBadFlags:   "Bad value for ai_flags",
	AddrInfoNoName:     "Name or service not known",
	AddrInfoAgain:      "Temporary failure in name resolution",
	AddrInfoFail:       "Non-recoverable failure in name resolution",
	AddrInfoNoData:     "No address associated with hostname",
	AddrInfoBadFamily:  "ai_family not supported",
	AddrInfoSockType:   "ai_socktype not supported",
	AddrInfoService:    "Servname not supported for ai_socktype",
	AddrInfoAddrFamily: "Address family for hostname not supported",
	AddrInfoMemory:     "Memory allocation failure",
	AddrInfoSystem:     "System error",
}

func (e AddrInfoError) Error() string {
	if text := addrInfoTexts[e]; text != "" {
		return text
	}
	return fmt.Sprintf("error %d of name resolution", int32(e))
}
