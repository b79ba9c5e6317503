package main

import "strconv"

// maxEcho is how much of a client's own words an error message repeats, bytes.
const maxEcho = 128

func appendInt(b []byte, n int64) []byte {
	b = append(b, ':')
	b = strconv.AppendInt(b, n, 10)
	return append(b, '\r', '\n')
}

func appendBulk(b, value []byte) []byte {
	b = append(b, '$')
	b = strconv.AppendInt(b, int64(len(value)), 10)
	b = append(b, '\r', '\n')
	b = append(b, value...)
	return append(b, '\r', '\n')
}

func appendArray(b []byte, n int) []byte {
	b = append(b, '*')
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, '\r', '\n')
}

func appendError(b []byte, text string) []byte {
	b = append(b, '-')
	b = append(b, text...)
	return append(b, '\r', '\n')
}

func appendUnknown(b, name []byte) []byte {
	b = append(b, "-ERR unknown command '"...)
	b = appendSafe(b, name)
	return append(b, "'\r\n"...)
}

func appendArity(b, name []byte) []byte {
	b = append(b, "-ERR wrong number of arguments for '"...)
	b = appendSafe(b, name)
	return append(b, "' command\r\n"...)
}

// appendSafe repeats a client's words without letting them end the line.
func appendSafe(b, words []byte) []byte {
	for _, c := range words[:min(len(words), maxEcho)] {
		b = append(b, printable(c))
	}
	return b
}
