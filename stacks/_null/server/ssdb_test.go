package main

import (
	"testing"
)

func ssdbMessage(blocks ...string) string {
	all := make([][]byte, len(blocks))
	for i, b := range blocks {
		all[i] = []byte(b)
	}
	return string(appendBlocks(nil, all...))
}

func TestSsdbByteForByte(t *testing.T) {
	conversation := ssdbMessage("ping") + ssdbMessage("set", "k", "v\n\n") + ssdbMessage("get", "k") + ssdbMessage("get", "gone") +
		ssdbMessage("multi_get", "k", "gone") + ssdbMessage("del", "gone") + ssdbMessage("dbsize") + ssdbMessage("SET", "k", "v")
	want := "2\nok\n\n" + "2\nok\n1\n1\n\n" + "2\nok\n3\nv\n\n\n\n" + "9\nnot_found\n\n" +
		"2\nok\n1\nk\n3\nv\n\n\n\n" + "2\nok\n1\n1\n\n" + "2\nok\n1\n4\n\n" + "12\nclient_error\n20\nUnknown Command: SET\n\n"
	inOneAndInBytes(t, func() session { return &ssdbSession{env: testEnv(t, "--counting")} }, conversation, want)
}

func TestSsdbNullAnswersAsMuchAsWasSet(t *testing.T) {
	inOneAndInBytes(t, func() session { return &ssdbSession{env: testEnv(t)} },
		ssdbMessage("get", "k")+ssdbMessage("set", "k", "12345")+ssdbMessage("get", "other"),
		"2\nok\n1\n1\n\n"+"2\nok\n1\n1\n\n"+"2\nok\n5\n11111\n\n")
	inOneAndInBytes(t, func() session { return &respSession{env: testEnv(t)} },
		respCommand("GET", "k")+respCommand("SET", "k", "12345")+respCommand("GET", "other"),
		"$1\r\n1\r\n"+"+OK\r\n"+"$5\r\n11111\r\n")
}

func TestEveryNthAnswerIsWrong(t *testing.T) {
	set, get := ssdbMessage("set", "k", "abc"), ssdbMessage("get", "k")
	inOneAndInBytes(t, func() session { return &ssdbSession{env: testEnv(t, "--counting", "--wrong-every", "2")} },
		set+get+get+get, "2\nok\n1\n1\n\n"+"2\nok\n3\nabc\n\n"+"2\nok\n3\n`bc\n\n"+"2\nok\n3\nabc\n\n")
	inOneAndInBytes(t, func() session { return &respSession{env: testEnv(t, "--counting", "--wrong-every", "2")} },
		respCommand("SET", "k", "abc")+respCommand("GET", "k")+respCommand("GET", "k"), "+OK\r\n$3\r\nabc\r\n$3\r\n`bc\r\n")
}

func TestSsdbNonsenseEndsTheConnection(t *testing.T) {
	for _, in := range []string{"x\n\n", "-1\n\n", "3\nabcd\n", "99999999999\n", "GET / HTTP/1.1\r\n"} {
		if _, st := talk(&ssdbSession{env: testEnv(t)}, []byte(in), len(in)); st != statusClose {
			t.Errorf("%q: %v, want the end", in, st)
		}
	}
}

func FuzzSSDB(f *testing.F) {
	fuzzSession(f, func(e *env) session { return &ssdbSession{env: e} }, keptSSDB,
		ssdbMessage("set", "k", "v")+ssdbMessage("get", "k"), "3\r\nget\r\n1\r\nk\r\n\r\n", "\n\n\n", "99999999999\n", "3\nge")
}
