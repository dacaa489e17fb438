package devices

// checkNamespaces says which network namespaces see a device; rdma-system(8).
func checkNamespaces(e *examination) []Finding {
	switch {
	case !e.modeKnown || len(e.class) == 0:
		return nil
	case e.exclusive:
		return []Finding{{Status: OK, Looked: "rdma system: netns exclusive",
			Meaning: "each device is visible in one network namespace only: containers see only those that were moved to them"}}
	}
	return []Finding{{Status: OK, Looked: "rdma system: netns shared",
		Meaning: "every network namespace sees the devices, but can use only the GIDs of its own interfaces"}}
}
