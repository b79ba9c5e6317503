package main

import (
	"strconv"
	"strings"
)

// maxName is the length of the longest command name, bytes.
const maxName = 8

// command is one entry of the table: argument limits count the name itself; max 0 is no limit.
type command struct {
	min, max int
	run      func(s *respSession, w words, b []byte) []byte
}

// commands is filled by init because INFO counts it. HELLO is missing on purpose:
// clients take the "unknown command" of an old server as "speak RESP2".
var commands map[string]command

func init() {
	commands = map[string]command{
		"INCR":     {2, 2, func(s *respSession, w words, b []byte) []byte { return s.add(w, 1, b) }},
		"DECR":     {2, 2, func(s *respSession, w words, b []byte) []byte { return s.add(w, -1, b) }},
		"INCRBY":   {3, 3, func(s *respSession, w words, b []byte) []byte { return s.addBy(w, false, b) }},
		"DECRBY":   {3, 3, func(s *respSession, w words, b []byte) []byte { return s.addBy(w, true, b) }},
		"GET":      {2, 2, cmdGet},
		"MGET":     {2, 0, cmdMGet},
		"SET":      {3, 0, cmdSet},
		"DEL":      {2, 0, cmdDel},
		"UNLINK":   {2, 0, cmdDel},
		"EXISTS":   {2, 0, cmdExists},
		"DBSIZE":   {1, 1, cmdDBSize},
		"FLUSHALL": {1, 2, cmdFlush},
		"FLUSHDB":  {1, 2, cmdFlush},
		"PING":     {1, 2, cmdPing},
		"ECHO":     {2, 2, func(_ *respSession, w words, b []byte) []byte { return appendBulk(b, w.at(1)) }},
		"SELECT":   {2, 2, cmdOK},
		"CLIENT":   {2, 0, cmdClient},
		"COMMAND":  {1, 0, cmdCommand},
		"CONFIG":   {2, 0, cmdConfig},
		"INFO":     {1, 0, cmdInfo},
		"QUIT":     {1, 0, cmdQuit},
	}
}

func cmdOK(_ *respSession, _ words, b []byte) []byte { return append(b, "+OK\r\n"...) }

func cmdPing(s *respSession, w words, b []byte) []byte {
	switch {
	case s.env.loading():
		return appendError(b, "LOADING the null responder is loading")
	case w.count() == 2:
		return appendBulk(b, w.at(1))
	}
	return append(b, "+PONG\r\n"...)
}

// add changes a counter by delta; in null mode each one is 1 for ever.
func (s *respSession) add(w words, delta int64, b []byte) []byte {
	if s.env.store == nil {
		return append(b, ":1\r\n"...)
	}
	n, problem := s.env.store.add(w.at(1), delta)
	if problem != "" {
		return appendError(b, problem)
	}
	return appendInt(b, n)
}

func (s *respSession) addBy(w words, negate bool, b []byte) []byte {
	if s.env.store == nil {
		return append(b, ":1\r\n"...)
	}
	delta, ok := parseInt(w.at(2))
	if !ok {
		return appendError(b, errNotInteger)
	}
	if negate {
		if delta == -delta && delta != 0 { // the one number without an opposite
			return appendError(b, "ERR decrement would overflow")
		}
		delta = -delta
	}
	return s.add(w, delta, b)
}

func cmdGet(s *respSession, w words, b []byte) []byte {
	if s.env.store == nil {
		return appendBulk(b, s.env.constant())
	}
	return s.env.store.appendValue(b, w.at(1))
}

func cmdMGet(s *respSession, w words, b []byte) []byte {
	b = appendArray(b, w.count()-1)
	for i := 1; i < w.count(); i++ {
		if s.env.store == nil {
			b = append(b, "$1\r\n1\r\n"...)
		} else {
			b = s.env.store.appendValue(b, w.at(i))
		}
	}
	return b
}

func cmdSet(s *respSession, w words, b []byte) []byte {
	if s.env.store != nil {
		if w.count() > 3 { // an expiry that is taken and not kept would be a lie
			return appendError(b, "ERR syntax error: SET options are not supported here")
		}
		s.env.store.set(w.at(1), w.at(2))
	} else {
		s.env.measured(len(w.at(2)))
	}
	return append(b, "+OK\r\n"...)
}

func cmdDel(s *respSession, w words, b []byte) []byte {
	n := w.count() - 1
	if s.env.store != nil {
		n = 0
		for i := 1; i < w.count(); i++ {
			if s.env.store.del(w.at(i)) {
				n++
			}
		}
	}
	return appendInt(b, int64(n))
}

func cmdExists(s *respSession, w words, b []byte) []byte {
	n := w.count() - 1
	if s.env.store != nil {
		n = 0
		for i := 1; i < w.count(); i++ {
			if s.env.store.has(w.at(i)) {
				n++
			}
		}
	}
	return appendInt(b, int64(n))
}

func cmdDBSize(s *respSession, _ words, b []byte) []byte {
	if s.env.store == nil {
		return append(b, ":0\r\n"...)
	}
	return appendInt(b, int64(s.env.store.size()))
}

func cmdFlush(s *respSession, _ words, b []byte) []byte {
	if s.env.store != nil {
		s.env.store.flush()
	}
	return append(b, "+OK\r\n"...)
}

func cmdClient(_ *respSession, w words, b []byte) []byte {
	switch strings.ToUpper(string(w.at(1))) {
	case "ID":
		return append(b, ":1\r\n"...)
	case "GETNAME":
		return append(b, "$-1\r\n"...)
	}
	return append(b, "+OK\r\n"...)
}

func cmdCommand(_ *respSession, w words, b []byte) []byte {
	if w.count() > 1 && strings.EqualFold(string(w.at(1)), "COUNT") {
		return appendInt(b, int64(len(commands)))
	}
	return append(b, "*0\r\n"...)
}

// cmdConfig answers every parameter of GET with an empty value: redis-benchmark asks for two at its start.
func cmdConfig(_ *respSession, w words, b []byte) []byte {
	if !strings.EqualFold(string(w.at(1)), "GET") {
		return append(b, "+OK\r\n"...)
	}
	b = appendArray(b, 2*(w.count()-2))
	for i := 2; i < w.count(); i++ {
		b = append(appendBulk(b, w.at(i)), "$0\r\n\r\n"...)
	}
	return b
}

// cmdInfo has no redis_version: nothing may take this for a Redis.
func cmdInfo(s *respSession, _ words, b []byte) []byte {
	counting := "0"
	if s.env.store != nil {
		counting = "1"
	}
	return appendBulk(b, []byte("# Server\r\nladderbench_null:1\r\nladderbench_null_version:"+version+
		"\r\ncounting:"+counting+"\r\nuptime_in_seconds:"+strconv.Itoa(int(s.env.uptime().Seconds()))+"\r\n"))
}

func cmdQuit(s *respSession, _ words, b []byte) []byte {
	s.quit = true
	return append(b, "+OK\r\n"...)
}
