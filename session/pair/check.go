package pair

// checks are in the order of the findings: a check that explains the failure of others stands before them. What a check
// tries itself was tried before, so that a path that works is never accused for what a table of the kernel says.
var checks = []check{
	{name: "device", each: checkDevice},
	{name: "port", needs: []string{"device"}, each: checkPort},
	{name: "objects", needs: []string{"device", "port"}, each: checkObjects},
	{name: "transport", scope: once, needs: []string{"device"}, both: checkTransport},
	{name: "gid", scope: once, needs: []string{"device", "transport"}, both: checkGID},
	{name: "address", scope: once, needs: []string{"gid"}, both: checkAddress},
	{name: "pkey", scope: once, needs: []string{"device", "transport"}, both: checkPKey},
	{name: "route", scope: perWay, needs: []string{"port", "gid", "address"}, way: checkRoute},
	{name: "neighbour", scope: perWay, needs: []string{"port", "gid", "route"}, way: checkNeighbour},
	{name: "mtu", scope: once, needs: []string{"port", "transport"}, both: checkMTU},
	{name: "path_mtu", scope: perWay, needs: []string{"port", "gid", "route"}, way: checkPathMTU},
	{name: "udp_4791", scope: perWay, needs: []string{"port", "gid", "route", "neighbour"}, way: checkRoCEPort},
	{name: "write", scope: perWay, needs: []string{"port", "gid", "objects"}, way: checkWrite},
	{name: "send", scope: perWay, needs: []string{"write"}, way: checkSend},
	{name: "sizes", scope: perWay, needs: []string{"write"}, way: checkSizes},
	{name: "loss", scope: perWay, needs: []string{"write"}, way: checkLoss},
	{name: "rdma_cm", scope: perWay, needs: []string{"write"}, way: checkManager},
}

func right(evidence string) Finding { return Finding{Verdict: Right, Evidence: evidence} }

func wrong(evidence, change string) Finding {
	return Finding{Verdict: Wrong, Evidence: evidence, Change: change}
}

// notLooked is the finding of a check that could not be made; why completes "because …".
func notLooked(why string) Finding { return Finding{Verdict: NotLooked, Evidence: "because " + why} }
