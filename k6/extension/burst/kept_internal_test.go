package burst

// keptReplies are replies that once were read wrongly, or that stand at a border: whole ones, which fuzzing starts from, too.
var keptReplies = map[string][]string{
	"resp": {
		"$99999999999999999999\r\n",        // a bulk beyond 64 bits
		"$3\r\nabcd\r\n",                   // a bulk longer than its length
		"$-2\r\n",                          // a bulk of minus 2
		"+O\rK\r\n",                        // a carriage return in text
		"*-1\r\n",                          // a null array
		":99999999999999999999\r\n",        // a number beyond 64 bits
		":+1\r\n",                          // a number with a sign
		":--1\r\n",                         // a number with two signs
		"HTTP/1.1 400 Bad Request\r\n\r\n", // a page of http
		"*0\r\n",                           // an array of 0
		"*1000000000\r\n:1\r\n",            // an array that never ends
		"-ERR no\r\n",                      // an error
		"-\r\n",                            // an error without text
		"?\r\n",                            // an unknown kind
		"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", // arrays in arrays
		"+OK\n+OK\n",         // bare line feeds
		":\r\n",              // no number
		"%1\r\n+a\r\n:1\r\n", // resp3 map
		"_\r\n",              // resp3 null
		">1\r\n+a\r\n",       // resp3 push
	},
	"ssdb": {
		"12\nclient_error\n\n",            // a client error
		"99999999999999999999\n",          // a length beyond 64 bits
		"2\nok\n0\n\n\n",                  // a length of 0
		"+2\nok\n\n",                      // a length with a sign
		"5\nerror\n4\nfull\n\n",           // an error
		"2\r\nok\r\n\r\n",                 // carriage returns
		"1\nok\n\n",                       // longer than its length
		"\n",                              // no status
		"2\nok\n1\n1\n\n9\nnot_found\n\n", // two replies
	},
	"http": {
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",                    // a chunk size beyond 64 bits
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\n",                  // a chunk with an extension
		"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n",                                    // a folded header
		"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", // a length and chunks
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",                                                 // a length with a sign
		"HTTP/1.1 2000 OK\r\n\r\n", // a status of four digits
		"HTTP/1.1 20 OK\r\n\r\n",   // a status of two digits
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",            // an upgrade
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", // continue before it
		"HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc",                   // no content with a length
		"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",                                 // no reason
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n",                    // not modified
		"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",         // the connection is closed
		"HTTP/1.0 200 OK\r\n\r\nabc",                                                // to the end of the connection
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",    // trailers
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",       // two lengths
	},
	"ws": {
		"\x88\x01\x03",     // a close of one byte
		"\x88\x02\x03\xe8", // a close with a code
		"\x81~\x00\x01x",   // a length longer than it had to be
		"\x81\x7f\x80\x00\x00\x00\x00\x00\x00\x01x", // a length with its highest bit
		"\x01\x01a\x80\x01b",                        // a message in two parts
		"\x80\x01a",                                 // a part of nothing
		"\x01\x01a\x89\x00\x80\x01b",                // a ping between two parts
		"\x89~\x00~xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", // a ping that is too long
		"\x89\t000000000",           // a ping with text
		"\xc1\x01a",                 // a reserved bit
		"\x8b\x00",                  // an unknown kind
		"\x81\x81\x01\x02\x03\x04x", // masked by a server
	},
}

// keptDocuments are such documents, and the member that is asked for.
var keptDocuments = []struct{ in, name string }{
	{"{\"a\":[1,]}", "a"},                        // a comma too many
	{"{\"b\":\"\\\"a\\\":1\",\"a\":[1,2]}", "a"}, // a name in a text
	{"{\"a\":1,\"a\":[2]}", "a"},                 // a name twice
	{"{\"\"0", "0"},                              // a name without a colon
	{"0", "0"},                                   // a number alone
	{"{0", "0"},                                  // a number for a name
	{"{\"a\":\"", "a"},                           // a text that does not end
	{"{\"a\":[[1,2],[3,[4]]]}", "a"},             // an array of arrays
	{"{\"a\":[ ]}", "a"},                         // an empty array
	{"{\"\":[1]}", ""},                           // an empty name
	{"{\"\\u0061\":1}", "a"},                     // an escaped name
	{"{\"a\":[1,2", "a"},                         // an open array
	{" { \"a\" : [ 1 , 2 ] } ", "a"},             // blanks everywhere
	{"{\"a\":[\"]\",\"}\",\",\"]}", "a"},         // brackets in texts
	{"[1,2]", "a"},                               // no object
	{"null", "a"},                                // null
	{"{\"a\":[1]}x", "a"},                        // text behind the end
}
