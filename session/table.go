package session

import (
	"syscall"

	"rdmatui/session/bringup"
	"rdmatui/session/cm"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/labrun"
	"rdmatui/session/packets"
	"rdmatui/session/post"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/session/script"
	"rdmatui/session/traffic"
)

// row is all that a command is made of.
type row struct {
	Spec *command.Spec                          // what a line of it is: parser, completion, forms and help read it
	Run  core.Handler                           // carries it out
	Hint func(*core.Call, syscall.Errno) string // says what to check after it failed, from more than the errno; may be nil
}

// rows are the commands. Their order is that of command.Commands, by which help lists them.
var rows = []row{
	// Devices.
	{command.OpenDevice, device.OpenDevice, nil},
	{command.QueryDevice, device.QueryDevice, nil},
	{command.QueryRTValuesEx, device.QueryRTValuesEx, nil},
	{command.QueryPort, device.QueryPort, nil},
	{command.QueryGID, device.QueryGID, nil},
	{command.QueryPKey, device.QueryPKey, nil},
	{command.GetAsyncEvent, device.GetAsyncEvent, nil},
	{command.Fault, device.Fault, nil},
	{command.Capture, packets.Capture, nil},
	{command.SavePackets, packets.SavePackets, nil},

	// Memory.
	{command.AllocPD, region.AllocPD, nil},
	{command.RegMR, region.RegMR, hintRegMR},
	{command.ReregMR, region.ReregMR, nil},
	{command.AllocMW, region.AllocMW, nil},
	{command.AllocDM, region.AllocDM, nil},
	{command.MemcpyToDM, region.MemcpyToDM, nil},
	{command.MemcpyFromDM, region.MemcpyFromDM, nil},
	{command.WriteMem, region.WriteMem, nil},
	{command.CopyMem, script.CopyMem, nil},
	{command.Input, script.Input, nil},
	{command.ReadMem, region.ShowMem, nil},

	// Completions.
	{command.CreateCompChannel, queue.CreateChannel, nil},
	{command.CreateCQ, queue.CreateCQ, nil},
	{command.ResizeCQ, queue.ResizeCQ, nil},
	{command.PollCQ, queue.PollCQ, nil},
	{command.ReqNotifyCQ, queue.ReqNotifyCQ, nil},
	{command.GetCQEvent, queue.GetCQEvent, nil},
	{command.AckCQEvents, queue.AckCQEvents, nil},
	{command.CQMode, queue.CQMode, nil},
	{command.CQStats, queue.CQStats, nil},

	// Shared receive queues.
	{command.CreateSRQ, queue.CreateSRQ, nil},
	{command.ModifySRQ, queue.ModifySRQ, nil},
	{command.QuerySRQ, queue.QuerySRQ, nil},
	{command.PostSRQRecv, post.PostSRQRecv, nil},

	// Queue pairs and address handles.
	{command.CreateQP, queue.CreateQP, nil},
	{command.ModifyQP, queue.ModifyQP, hintModify},
	{command.QueryQP, queue.QueryQP, nil},
	{command.ConnectQPs, bringup.ConnectQPs, nil},
	{command.CreateAH, queue.CreateAH, nil},
	{command.CreateAHFromWC, queue.CreateAHFromWC, nil},

	// Multicast groups.
	{command.AttachMcast, queue.AttachMcast, nil},
	{command.DetachMcast, queue.DetachMcast, nil},

	// Work requests.
	{command.PostSend, post.PostSend, hintPostSend},
	{command.Chain, post.Chain, hintPostSend},
	{command.PostRecv, post.PostRecv, hintPostRecv},
	{command.BindMW, post.BindMW, nil},
	{command.Pingpong, traffic.Pingpong, nil},

	// The connection manager.
	{command.RDMACreateEventChannel, cm.CreateEventChannel, nil},
	{command.RDMACreateID, cm.CreateID, nil},
	{command.RDMAGetAddrInfo, cm.GetAddrInfo, nil},
	{command.RDMABindAddr, cm.BindAddr, nil},
	{command.RDMAResolveAddr, cm.ResolveAddr, nil},
	{command.RDMAResolveRoute, cm.ResolveRoute, nil},
	{command.RDMAListen, cm.Listen, nil},
	{command.RDMAConnect, cm.Connect, nil},
	{command.RDMAAccept, cm.Accept, nil},
	{command.RDMAReject, cm.Reject, nil},
	{command.RejectAll, cm.RejectAll, nil},
	{command.RDMADisconnect, cm.Disconnect, nil},
	{command.RDMAEstablish, cm.Establish, nil},
	{command.RDMANotify, cm.Notify, nil},
	{command.RDMASetOption, cm.SetOption, nil},
	{command.RDMACreateQP, cm.CreateManagedQP, nil},
	{command.RDMAInitQPAttr, cm.InitQPAttr, nil},
	{command.RDMAJoinMulticast, cm.JoinMulticast, nil},
	{command.RDMALeaveMulticast, cm.LeaveMulticast, nil},
	{command.RDMAMigrateID, cm.MigrateID, nil},
	{command.RDMAGetCMEvent, cm.GetCMEvent, nil},
	{command.RDMAGetRequest, cm.GetRequest, nil},

	// Peers.
	{command.Exchange, traffic.Exchange, nil},
	{command.ExchangeFinish, traffic.ExchangeFinish, nil},
	{command.Peer, traffic.PeerByHand, nil},

	// What gives objects back.
	{command.Close, queue.CloseObject, nil},
	{command.CloseDevice, queue.CloseObject, nil},
	{command.DeallocPD, queue.CloseObject, nil},
	{command.DeregMR, queue.CloseObject, nil},
	{command.DeallocMW, queue.CloseObject, nil},
	{command.FreeDM, queue.CloseObject, nil},
	{command.DestroyCompChannel, queue.CloseObject, nil},
	{command.DestroyCQ, queue.CloseObject, nil},
	{command.DestroySRQ, queue.CloseObject, nil},
	{command.DestroyQP, queue.CloseObject, nil},
	{command.DestroyAH, queue.CloseObject, nil},
	{command.RDMADestroyQP, queue.CloseObject, nil},
	{command.RDMADestroyID, queue.CloseObject, nil},
	{command.RDMADestroyEventChannel, queue.CloseObject, nil},
	{command.RDMAFreeAddrInfo, queue.CloseObject, nil},

	// What is expected.
	{command.ExpectWC, script.ExpectWC, nil},
	{command.ExpectMem, script.ExpectMem, nil},
	{command.ExpectState, script.ExpectState, nil},
	{command.ExpectAsync, device.ExpectAsync, nil},
	{command.ExpectError, script.ExpectError, nil},
	{command.ExpectCM, cm.ExpectCM, nil},
	{command.ExpectID, cm.ExpectID, nil},

	// The session and its scripts.
	{command.Live, queue.Live, nil},
	{command.Sleep, script.Sleep, nil},
	{command.Repeat, script.Repeat, nil},
	{command.Loop, script.BlockAlone, nil},
	{command.Try, script.BlockAlone, nil},
	{command.Until, script.Until, nil},
	{command.End, script.BlockAlone, nil},
	{command.Save, script.Save, nil},
	{command.ExportC, script.ExportC, nil},
	{command.ExportScript, script.ExportScript, nil},
	{command.Lab, labrun.Lab, nil},
	{command.Note, script.Note, nil},
	{command.Help, script.Help, nil},
}
