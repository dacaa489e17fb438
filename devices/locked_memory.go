package devices

import "strconv"

// LockedMemory is how much memory this process may lock, RLIMIT_MEMLOCK, in KiB as
// ulimit -l has it: "8192 KiB", "unlimited"; "" where it is not known. A region that
// goes beyond it is refused with ENOMEM, unless the process has CAP_IPC_LOCK.
func LockedMemory() string {
	soft, _, err := Host().Memlock()
	if err != nil {
		return ""
	}
	return limitKiB(soft)
}

func limitKiB(limit uint64) string {
	if limit == Unlimited {
		return "unlimited"
	}
	return strconv.FormatUint(limit>>10, 10) + " KiB"
}
