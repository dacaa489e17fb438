package devices

import "strconv"

// LockedMemory returns how much memory this process may lock, RLIMIT_MEMLOCK, in KiB as
// ulimit -l prints it: "8192 KiB" or "unlimited"; "" if it is unknown. A region that
// exceeds it is refused with ENOMEM, at a limit of 0 with EPERM, unless the process has CAP_IPC_LOCK.
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
