package session

import (
	"syscall"

	"rdmatui/session/bringup"
	"rdmatui/session/cm"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/export"
	"rdmatui/session/incident"
	"rdmatui/session/lab"
	"rdmatui/session/packets"
	"rdmatui/session/post"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/session/script"
	"rdmatui/session/traffic"
)

// row holds everything about one command.
type row struct {
	Spec *command.Spec                          // its syntax, read by parser, completion, forms and help
	Run  core.Handler                           // carries it out
	C    export.Translation                     // writes it in C
	Hint func(*core.Call, syscall.Errno) string // what to check after a failure, from more than the errno; may be nil
}

// rows lists the commands, in the order of command.Commands, which help uses too.
var rows = []row{
	// Devices.
	{command.OpenDevice, device.OpenDevice, export.OpenDevice, nil},
	{command.QueryDevice, device.QueryDevice, export.Query("struct ibv_device_attr attr;",
		`printf("%s: max_qp %d, max_qp_wr %d, max_sge %d, max_cq %d, max_cqe %d, max_mr %d\n", attr.fw_ver,
	attr.max_qp, attr.max_qp_wr, attr.max_sge, attr.max_cq, attr.max_cqe, attr.max_mr);`), nil},
	{command.QueryRTValuesEx, device.QueryRTValuesEx,
		export.Query("struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };",
			`printf("raw_clock: tv_sec %lld, tv_nsec %lld\n", (long long)values.raw_clock.tv_sec, `+
				`(long long)values.raw_clock.tv_nsec);`), nil},
	{command.QueryPort, device.QueryPort, export.Query("struct ibv_port_attr attr = { .state = IBV_PORT_NOP };",
		`printf("port %d: %s, max_mtu %d, active_mtu %d, lid %d\n", PORT, ibv_port_state_str(attr.state),
	128 << attr.max_mtu, 128 << attr.active_mtu, attr.lid);`), nil},
	{command.QueryGID, device.QueryGID, export.QueryGID, nil},
	{command.QueryPKey, device.QueryPKey,
		export.Query("__be16 pkey = 0;", `printf("pkey 0x%04x\n", ntohs(pkey));`), nil},
	{command.GetAsyncEvent, device.GetAsyncEvent, export.GetAsyncEvent, nil},
	{command.Fault, device.Fault, export.OnlyHere("only rdmatui's software device injects faults"), nil},
	{command.Capture, packets.Capture,
		export.OnlyHere("rdmatui captures packets of its software device; a program can use tcpdump"), nil},
	{command.SavePackets, packets.SavePackets, export.OnlyHere("only rdmatui records packets"), nil},
	{command.SaveIncident, incident.SaveIncident, export.OnlyHere("only rdmatui records packets and events"), nil},
	{command.Recorder, incident.Recorder, export.OnlyHere("only rdmatui records packets and events"), nil},

	// Memory.
	{command.AllocPD, region.AllocPD, export.Call, nil},
	{command.RegMR, region.RegMR, export.RegMR, hintRegMR},
	{command.ReregMR, region.ReregMR, export.ReregMR, nil},
	{command.AllocMW, region.AllocMW, export.Call, nil},
	{command.AllocDM, region.AllocDM, export.AllocDM, nil},
	{command.MemcpyToDM, region.MemcpyToDM, export.MemcpyDM, nil},
	{command.MemcpyFromDM, region.MemcpyFromDM, export.MemcpyDM, nil},
	{command.WriteMem, region.WriteMem, export.WriteMem, nil},
	{command.CopyMem, script.CopyMem, export.CopyMem, nil},
	{command.Input, script.Input, export.Input, nil},
	{command.ReadMem, region.ShowMem, export.ReadMem, nil},

	// Completions.
	{command.CreateCompChannel, queue.CreateChannel, export.Call, nil},
	{command.CreateCQ, queue.CreateCQ, export.CreateCQ, nil},
	{command.ResizeCQ, queue.ResizeCQ, export.Call, nil},
	{command.ModifyCQ, queue.ModifyCQ, export.Call, nil},
	{command.PollCQ, queue.PollCQ, export.PollCQ, nil},
	{command.ReqNotifyCQ, queue.ReqNotifyCQ, export.Call, nil},
	{command.GetCQEvent, queue.GetCQEvent, export.GetCQEvent, nil},
	{command.AckCQEvents, queue.AckCQEvents, export.AckCQEvents, nil},
	{command.CQMode, queue.CQMode, export.OnlyHere("the exported program polls only where a line does"), nil},
	{command.CQStats, queue.CQStats, export.OnlyHere("it shows rdmatui's own counts"), nil},

	// Shared receive queues.
	{command.CreateSRQ, queue.CreateSRQ, export.Call, nil},
	{command.ModifySRQ, queue.ModifySRQ, export.Call, nil},
	{command.QuerySRQ, queue.QuerySRQ, export.Query("struct ibv_srq_attr attr = { .max_wr = 0 };",
		`printf("OBJECT: max_wr %u, max_sge %u, srq_limit %u\n", attr.max_wr, attr.max_sge, attr.srq_limit);`), nil},
	{command.PostSRQRecv, post.PostSRQRecv, export.PostRecv, nil},

	// Queue pairs and address handles.
	{command.CreateQP, queue.CreateQP, export.CreateQP, nil},
	{command.ModifyQP, queue.ModifyQP, export.ModifyQP, nil},
	{command.QueryQP, queue.QueryQP, export.Query(
		"struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };\nstruct ibv_qp_init_attr init_attr;",
		`printf("OBJECT: state %d, dest_qp_num 0x%06x, sq_psn 0x%06x, rq_psn 0x%06x\n",
	attr.qp_state, attr.dest_qp_num, attr.sq_psn, attr.rq_psn);`), nil},
	{command.QueryQPDataInOrder, queue.QueryQPDataInOrder,
		export.Query("int in_order = CALL;", `printf("OBJECT: data in order 0x%x\n", in_order);`), nil},
	{command.ConnectQPs, bringup.ConnectQPs, export.ConnectQPs, nil},
	{command.CreateAH, queue.CreateAH, export.CreateAH, nil},
	{command.CreateAHFromWC, queue.CreateAHFromWC, export.CreateAHFromWC, nil},

	// Multicast groups.
	{command.AttachMcast, queue.AttachMcast, export.Multicast, nil},
	{command.DetachMcast, queue.DetachMcast, export.Multicast, nil},

	// Work requests.
	{command.PostSend, post.PostSend, export.PostSend, nil},
	{command.Chain, post.Chain, export.Chain, nil},
	{command.PostRecv, post.PostRecv, export.PostRecv, nil},
	{command.BindMW, post.BindMW, export.BindMW, nil},
	{command.Pingpong, traffic.Pingpong, export.Pingpong, nil},

	// The connection manager.
	{command.RDMACreateEventChannel, cm.CreateEventChannel, export.CreateEventChannel, nil},
	{command.RDMACreateID, cm.CreateID, export.CreateID, nil},
	{command.RDMAGetAddrInfo, cm.GetAddrInfo, export.GetAddrInfo, nil},
	{command.RDMABindAddr, cm.BindAddr, export.Call, nil},
	{command.RDMAResolveAddr, cm.ResolveAddr, export.Call, nil},
	{command.RDMAResolveRoute, cm.ResolveRoute, export.Call, nil},
	{command.RDMAListen, cm.Listen, export.Call, nil},
	{command.RDMAConnect, cm.Connect, export.Connect, nil},
	{command.RDMAAccept, cm.Accept, export.Connect, nil},
	{command.RDMAReject, cm.Reject, export.Reject, nil},
	{command.RejectAll, cm.RejectAll, export.OnlyHere("it rejects the pending requests on rdmatui's list"), nil},
	{command.RDMADisconnect, cm.Disconnect, export.Disconnect, nil},
	{command.RDMAEstablish, cm.Establish, export.Call, nil},
	{command.RDMANotify, cm.Notify, export.Call, nil},
	{command.RDMASetOption, cm.SetOption, export.SetOption, nil},
	{command.RDMACreateQP, cm.CreateManagedQP, export.CreateManagedQP, nil},
	{command.RDMAInitQPAttr, cm.InitQPAttr, export.InitQPAttr, nil},
	{command.RDMAJoinMulticast, cm.JoinMulticast, export.Call, nil},
	{command.RDMALeaveMulticast, cm.LeaveMulticast, export.Call, nil},
	{command.RDMAMigrateID, cm.MigrateID, export.MigrateID, nil},
	{command.RDMAGetCMEvent, cm.GetCMEvent, export.GetCMEvent, nil},
	{command.RDMAGetRequest, cm.GetRequest, export.GetRequest, nil},

	// The short forms of librdmacm.
	{command.RDMACreateEP, cm.CreateEP, export.CreateEP, nil},
	{command.RDMARegMsgs, cm.RegisterShort, export.RegisterShort, nil},
	{command.RDMARegRead, cm.RegisterShort, export.RegisterShort, nil},
	{command.RDMARegWrite, cm.RegisterShort, export.RegisterShort, nil},
	{command.RDMAPostRecv, cm.PostShort, export.PostShort, nil},
	{command.RDMAPostSend, cm.PostShort, export.PostShort, nil},
	{command.RDMAPostRead, cm.PostShort, export.PostShort, nil},
	{command.RDMAPostWrite, cm.PostShort, export.PostShort, nil},
	{command.RDMAPostUDSend, cm.PostShort, export.PostShort, nil},
	{command.RDMAPostRecvV, cm.PostShort, export.PostShort, nil},
	{command.RDMAPostSendV, cm.PostShort, export.PostShort, nil},
	{command.RDMAPostReadV, cm.PostShort, export.PostShort, nil},
	{command.RDMAPostWriteV, cm.PostShort, export.PostShort, nil},
	{command.RDMAGetSendComp, cm.GetSendComp, export.GetComp, nil},
	{command.RDMAGetRecvComp, cm.GetRecvComp, export.GetComp, nil},
	{command.RDMADeregMR, cm.DeregShort, export.DeregShort, nil},
	{command.RDMADestroyEP, cm.DestroyEP, export.DestroyEP, nil},

	// Peers.
	{command.Exchange, traffic.Exchange, export.Exchange, nil},
	{command.ExchangeFinish, traffic.ExchangeFinish, export.ExchangeFinish, nil},
	{command.Peer, traffic.PeerByHand, export.PeerByHand, nil},

	// Commands that destroy objects.
	{command.Undo, queue.Undo, export.Undo, nil},
	{command.Close, queue.CloseObject, export.CloseObject, nil},
	{command.CloseDevice, queue.CloseObject, export.CloseObject, nil},
	{command.DeallocPD, queue.CloseObject, export.CloseObject, nil},
	{command.DeregMR, queue.CloseObject, export.CloseObject, nil},
	{command.DeallocMW, queue.CloseObject, export.CloseObject, nil},
	{command.FreeDM, queue.CloseObject, export.CloseObject, nil},
	{command.DestroyCompChannel, queue.CloseObject, export.CloseObject, nil},
	{command.DestroyCQ, queue.CloseObject, export.CloseObject, nil},
	{command.DestroySRQ, queue.CloseObject, export.CloseObject, nil},
	{command.DestroyQP, queue.CloseObject, export.CloseObject, nil},
	{command.DestroyAH, queue.CloseObject, export.CloseObject, nil},
	{command.RDMADestroyQP, queue.CloseObject, export.CloseObject, nil},
	{command.RDMADestroyID, queue.CloseObject, export.CloseObject, nil},
	{command.RDMADestroyEventChannel, queue.CloseObject, export.CloseObject, nil},
	{command.RDMAFreeAddrInfo, queue.CloseObject, export.CloseObject, nil},

	// Expectations.
	{command.ExpectWC, script.ExpectWC, export.ExpectWC, nil},
	{command.ExpectMem, script.ExpectMem, export.ExpectMem, nil},
	{command.ExpectState, script.ExpectState, export.ExpectState, nil},
	{command.ExpectAsync, device.ExpectAsync, export.ExpectAsync, nil},
	{command.ExpectError, script.ExpectError, export.ExpectError, nil},
	{command.ExpectCM, cm.ExpectCM, export.ExpectCM, nil},
	{command.ExpectID, cm.ExpectID, export.ExpectID, nil},

	// The session and its scripts.
	{command.Live, queue.Live, export.OnlyHere("the exported program polls only where a line does"), nil},
	{command.Sleep, script.Sleep, export.Sleep, nil},
	{command.Repeat, script.Repeat, export.Repeat, nil},
	{command.Loop, script.BlockAlone, export.Loop, nil},
	{command.Try, script.BlockAlone, export.Try, nil},
	{command.Until, script.Until, export.Until, nil},
	{command.End, script.BlockAlone, export.OnlyHere("it is the end of a block"), nil},
	{command.Save, script.Save, export.OnlyHere("it writes a file for rdmatui"), nil},
	{command.ExportC, script.ExportC, export.OnlyHere("it writes this program"), nil},
	{command.ExportScript, script.ExportScript, export.OnlyHere("it writes a file for rdmatui"), nil},
	{command.Lab, lab.Lab, export.OnlyHere("its failures run in a separate session"), nil},
	{command.Note, script.Note, export.Note, nil},
	{command.Help, script.Help, export.OnlyHere("it explains rdmatui's commands"), nil},
}
