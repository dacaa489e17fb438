// Package explain holds what this program has to say of statuses, events, attributes, states and errors: plain text,
// a family of entries in each *.txt, and the finding of an entry by whatever somebody has of it: its name with or without the
// C prefix, its number with a word before it, or a line of a log.
//
// # The form of the files
//
// A line that begins with # is a comment; blank lines part entries. A file begins with lines about the whole family:
//
//	family: wc_status
//	what: status of a work completion
//	prefix: IBV_WC_
//	words: status, wc, wc status
//	require: means, notices, cause, check
//	source: IBA 11.6.2; ibv_poll_cq(3)
//
// family is the name that Find takes. what says what an entry is. prefix comes before names in C, suffix may be left out
// by who asks. words are what may stand before a name or a number to say which family is meant. require names the fields that no
// entry may lack, beside short. source is that of all entries that name none. bits: yes says that the numbers are those of bits.
// numbers: FAMILY says that the number of an entry is that of its name's last word in another family. bare: yes lets a number
// alone find an entry.
//
// An entry begins with its name in brackets, and its number if it has one. All but short may be left out, unless the family
// requires it; cause, check and try may come several times, the likeliest and the nearest first. A line that begins with a blank
// goes on with the one before.
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
//
// also are other names. hint is the short line as a session says it beside an error, with values. An entry called unknown answers for the numbers of its family that have none. A text between [[ and ]] is there only if every {value} in it is known; else what stands after | is, or
// nothing. A {value} stands nowhere else, so that every text reads well without any value.
package explain
