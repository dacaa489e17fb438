// Package explain holds what this program has to say of statuses, events,
// attributes, states and errors: plain text, a family of entries in each *.txt, and
// the finding of an entry by whatever somebody has of it: its name with or without
// the C prefix, its number with a word before it, or lines of a log.
//
// # The form of the files
//
// A line that begins with # is a comment; blank lines part entries. A file begins
// with lines about the whole family:
//
//	family: wc_status
//	what: status of a work completion
//	prefix: IBV_WC_
//	words: status, wc, wc status
//	require: means, notices, cause, check
//	source: IBA 11.6.2; ibv_poll_cq(3)
//
// family is the name that Find takes. what says what an entry is. prefix comes
// before names in C, suffix may be left out by who asks. words are what may stand
// before a name or a number to say which family is meant. require names the fields
// that no entry may lack, beside short. source is that of all entries that name
// none. bits: yes says that the numbers are those of bits. numbers: FAMILY says that
// the number of an entry is that of its name's last word in another family. bare:
// yes lets a number alone find an entry.
//
// An entry begins with its name in brackets, and its number if it has one. All but
// short may be left out, unless the family requires it; cause, check and try may
// come several times, the likeliest and the nearest first. A line that begins with a
// blank goes on with the one before.
//
//	[RETRY_EXC_ERR] 12
//	also: transport retry counter exceeded
//	short: the peer never answered
//	means: The request was sent again [[{retry_cnt} times|retry_cnt times]] without an answer.
//	notices: the requester
//	cause: the packets go elsewhere: dest_qp_num, dgid or sgid_index
//	check: query_qp at both ends
//	try: ping between the two addresses
//	hint: the peer[[ {dest_qp_num}]] never answered
//	source: IBA 9.9.2.1
//	line: transport retry count|counter exceeded !errno
//	general: yes
//	see: wc_status RETRY_EXC_ERR
//
// also are other names. hint is the short line as a session says it beside an error,
// with values. An entry called unknown answers for the numbers of its family that
// have none. A text between [[ and ]] is there only if every {value} in it is known;
// else what stands after | is, or nothing. A {value} stands nowhere else, so that
// every text reads well without any value.
//
// line may come several times: each is a pattern of log lines, words in lower case
// that stand in this order with others between them; | separates words of which one
// is there, a word that ends in * stands for all that begin so, and !errno excludes
// lines that tell an errno. general: yes marks what says less than another line of
// the same log. see is the entry that a reader of logs shows instead.
//
// when may come several times, too: words that stand anywhere in a line, in any order, for lines of which nothing else
// is known. They may be parts of names: "RegisterMemoryRegion" has register, memory and region; not_supported
// stands for two words beside each other, too. In such a family
// general: yes marks what may be said of anything: the line itself or another line of the log must be about RDMA.
//
// A call alone is answered by verb_call or cm_call, and then by its errnos.
//
// # Messages
//
// The files in messages have what programs, libraries and the kernel print when something fails: the format strings
// of their sources, each followed by lines that begin with a blank.
//
//	revision: rdma-core 65.0, 1e7b5a3
//	speaker: librdmacm
//	file: librdmacm/cma.c
//
//	librdmacm: Fatal: unable to get RDMA device list
//	  says: rdma_get_devices: no RDMA device answered: modules or device files are missing
//	  verb: rdma_get_devices
//	  see: errno ENODEV
//
// revision, speaker and file hold for the messages that follow: which source was read, who prints them, and where.
// says is one line of ours: the verb, the object or the condition, then why it happens. verb is the call that failed,
// if the line may tell its errno; errno is one that it always has; see names an entry that helps further. general: yes
// marks what follows from something else: any other line of the log that failed tells more. A message of few or common
// words counts only in a line that names its speaker, or is all that a program says.
//
// # Logs
//
// [ReadFrom] cleans each line: UTF-16, escapes of terminals and of JSON. All words of the tables and of the rules are
// a vocabulary. A line without the words that a rule needs is passed over, and so is one of the shape of a line before
// it, which differs in numbers and in words that no table has. Rules then read the line, of which the first that
// finds something wins: an error completion of mlx5 in hexadecimal, a pattern, a number of EFA, an error of DOCA, a
// completion, an event of the connection manager, a part of the kernel that lacks memory, a verb with its errno, an
// asynchronous event, a message, a verb that failed; else an errno or a name alone. A number means something only by
// the word that gives it its meaning: "error 12" is a status beside "vendor err", an errno beside ibv_modify_qp, a
// reason beside RDMA_CM_EVENT_REJECTED, and nothing after "error (port=". What failed has no status 0. Verbs are known
// by their names, and by their actions and objects in words. An errno may stand some lines after the verb that failed:
// "Failed to create a queue pair (QP):", then "Error: ...".
//
// Where no rule finds anything in a line that failed, an attribute that it names is told, else the condition whose
// words say most, else the message most like it, else the errno that the line ends with. A word says the more, the
// fewer messages have it, and stands for its stem: "resolving" for "resolve". What follows from other conditions says
// less than they. The entry says that the message itself is unknown. A line counts only if it is about RDMA: the words
// for that, and those of failures, are in words.list. In a paste that is about nothing else, words that only may be
// about RDMA suffice.
//
// What was found is put in order: causes by their lines, then errnos alone, what follows from something else, what is
// only likely, names, what stands in lines marked as no warning, and what only says more. Where a line that says that
// something failed is unknown, and stands before all that is known, the first entry says so. Where no line tells a
// cause, lines are read once more as if a terminal had broken them.
package explain
