package main

// Requests that once were read wrongly, or that stand at a border: fuzzing starts from them, too.
var (
	keptRESP = []string{
		"*1\n$4\nPING\n",                                                    // a bare line feed
		"*2\r\n$4\r\nECHO\r\n$8388609\r\nx",                                 // a bulk beyond 8 mib
		"*1\r\n$4\r\nPINGPING\r\n",                                          // a bulk longer than its length
		"*2\r\n$4\r\nECHO\r\n$8\r\nshort\r\n",                               // a bulk shorter than its length
		"*2\r\n$4\r\nECHO\r\n$17\r\na\r\n*1\r\n$4\r\nPING\r\n\r\n",          // a bulk that contains line ends
		"*1\r\r\n$4\r\nPING\r\n",                                            // a carriage return alone
		"*1\r\n\x10",                                                        // a control character for a length
		"*99999999999999999999\r\n$4\r\nPING\r\n",                           // a count beyond 64 bits
		"*1111111111111111111111111111111111111111111111111111111111111111", // a count line that does not end
		"*+1\r\n$4\r\nPING\r\n",                                             // a count with a sign
		"*01\r\n$4\r\nPING\r\n",                                             // a count with zeros before
		"*-1\r\n*1\r\n$4\r\nPING\r\n",                                       // a null array
		"*2\r\n$3\r\nGET\r\n$-1\r\n",                                        // a null bulk
		"*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n*3\r\n$4\r\nMGET\r\n$1\r\nk\r\n$4\r\nnone\r\n", // a pipeline
		"*2\r\n*1\r\n$4\r\nPING\r\n$1\r\nx\r\n", // an array within an array
		"*0\r\n*1\r\n$4\r\nPING\r\n",            // an empty array
		"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$19\r\n9223372036854775807\r\n*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n*3\r\n$6\r\nDECRBY\r\n$1\r\nk\r\n$20\r\n-9223372036854775808\r\n", // an increment beyond 64 bits
		"*4\r\n$6\r\nEXISTS\r\n$0\r\n\r\n$0\r\n\r\n$0\r\n\r\n", // empty arguments
		"ECHO a\"b\"c\r\n",            // inline a quote in a word
		"ECHO \"\\x4\" \"\\\r\n",      // inline an escape cut short
		"ECHO \"open\r\nPING\r\n",     // inline an open quote
		"   \x09  \r\n\r\n\nPING\r\n", // inline nothing but blanks
		"ECHO 'it\\'s'\r\n",           // inline single quotes
		"\xb100\n000\nINCR \n000\na0\n*2\r\n$3\r\nGET\r\n$1\r\n0\r\n", // inline unknown commands and incr without a key
		"ECHO a\x00b\r\n",                     // inline with a zero byte
		"SET k \"a\\x41\\n b\" \r\nGET k\r\n", // inline with quotes
		"*1048577\r\n$4\r\nPING\r\n",          // more arguments than allowed
		"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xbb\xbc\xbd\xbe\xbf\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xdb\xdc\xdd\xde\xdf\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff", // no text at all
		"*1\r\n$4\r\nQUIT\r\n*2\r\n$4\r\nINCR\r\n$5\r\nnever\r\n", // quit with more behind it
	}
	keptHTTP = []string{
		"POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\nabc",                                                           // a blank before the colon
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",                                 // a chunk size beyond 64 bits
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;a=\"b;c\"\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n", // a chunk with an extension
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",                                // a chunk without its line end
		"GET / HTTP/1.1\r\nA: b\r\n  c\r\n\r\n",                                                                      // a folded header
		"GET / HTTP/1.1\r\nHost\r\n\r\n",                                                                             // a header without a colon
		"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",            // a length and chunks
		"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",                                            // a length beyond 64 bits
		"POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\nabc",                                                         // a length in two numbers
		"POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\nabc",                                                           // a length with a sign
		"POST / HTTP/1.1\r\ncOnTeNt-LeNgTh:3\r\n\r\nabc",                                                             // a name in other case
		"GET / HTTP/1.1\r\nA: \x00\r\n\r\n",                                                                          // a zero byte in a header
		"GET / HTTP/1.1\nHost: x\n\nGET / HTTP/1.1\n\n",                                                              // bare line feeds
		"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",                                    // continue is expected
		"GET HTTP/1.1\r\n\r\n", // no path
		"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n", // of version 1 0
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",                                       // of version 2
		"GET /a HTTP/1.1\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 1\r\n\r\nxGET /c HTTP/1.1\r\nConnection: close\r\n\r\nGET /never HTTP/1.1\r\n\r\n", // three in a pipeline
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\nGET / HTTP/1.1\r\n\r\n",                                         // trailers
		"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",                                                                        // two lengths
	}
	keptWS = []string{
		"\x88\x81\x01\x02\x03\x04\x02",                                                     // a close of one byte
		"\x88\x850000A0000",                                                                // a close with a reason
		"\x88\x82\x01\x02\x03\x04\x02\xef",                                                 // a close with a reserved code
		"\x81\xfe\x00\x01\x00\x00\x00\x00x",                                                // a length longer than it had to be
		"\x81\xff\x80\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00x",                        // a length with its highest bit
		"\x01\x82\x01\x02\x03\x04``\x80\x82\x01\x02\x03\x04bf",                             // a message in two parts
		"\x01\x81\x01\x02\x03\x04`\x81\x81\x01\x02\x03\x04c",                               // a new message within one
		"\x80\x81\x01\x02\x03\x04y",                                                        // a part of nothing
		"\x01\x82\x01\x02\x03\x04``\x89\x84\x01\x02\x03\x04qkmc\x80\x82\x01\x02\x03\x04bf", // a ping between two parts
		"\x09\x81\x01\x02\x03\x04y",                                                        // a ping in parts
		"\x89\xfe\x00~\x00\x00\x00\x00xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", // a ping that is too long
		"\xc1\x81\x01\x02\x03\x04y",                        // a reserved bit
		"\x83\x81\x01\x02\x03\x04y",                        // an unknown kind
		"\x81\x05hello",                                    // not masked
		"\x81\x80\x01\x02\x03\x04\x82\x80\x01\x02\x03\x04", // nothing in it
		"\x81\x82\x01\x02\x03\x04\xfe\xfc",                 // text that is not utf 8
	}
	keptSSDB = []string{
		"3\n000\r0",                   // a carriage return alone
		"99999999999999999999\n",      // a length beyond 64 bits
		"0\n\n\n",                     // a length of 0
		"+3\nget\n\n",                 // a length with a sign
		" 3 \nget\n\n",                // a length with blanks
		"3\nset\n1\nk\n4\na\n\nb\n\n", // a value with line feeds
		"3\nset\n1\nk\n19\n9223372036854775807\n\n4\nincr\n1\nk\n1\n1\n\n", // an increment beyond 64 bits
		"8\nnonsense\n1\nk\n\n",                  // an unknown command
		"2\n00\r\n\n0",                           // an unknown command and half a length
		"3\r\nget\r\n1\r\nk\r\n\r\n",             // carriage returns
		"2\nget\n\n",                             // longer than its length
		"\n",                                     // no command
		"9\nget\n\n",                             // shorter than its length
		"3\nset\n1\nk\n\n",                       // too few arguments
		"3\nset\n1\nk\n1\nv\n\n3\nget\n1\nk\n\n", // two in a pipeline
	}
)
