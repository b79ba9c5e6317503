package burst

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"

	"ladderbench/k6/extension/measure"
)

// maxName bounds what is taken of a server's own name for a failure, bytes.
const maxName = 48

// refusal is what the server called the failure that it answered last. Codecs embed it by their generator and set or
// clear it with every reply that is no success.
type refusal struct {
	after  []byte   // what stands right before the name in a reply, empty where replies have none
	undone []string // names of failures that prove that nothing was applied
	name   []byte
}

// named takes what a template says of the names of failures.
func (r *refusal) named(t template) { r.after, r.undone = []byte(t.KindAfter), t.NotApplied }

// isUndone reports whether the failure has a name that proves that nothing was applied: the last word of it.
func (r *refusal) isUndone() bool {
	word := r.name[bytes.LastIndexByte(r.name, ' ')+1:]
	return slices.ContainsFunc(r.undone, func(name string) bool { return string(word) == name })
}

// refused returns it; empty where the failure has no name.
func (r *refusal) refused() []byte { return r.name }

func (r *refusal) clear() { r.name = r.name[:0] }

// status names a failure by its protocol's number and, where there is one, by the word in its text.
func (r *refusal) status(protocol string, code int, body []byte) {
	r.name = strconv.AppendInt(append(append(r.name[:0], protocol...), ' '), int64(code), 10)
	if word := r.wordIn(body); len(word) > 0 {
		r.name = append(append(r.name, ' '), word...)
	}
}

// word names a failure by the first word of its text.
func (r *refusal) word(text []byte) { r.name = append(r.name[:0], leadingWord(text)...) }

// text names a failure by the word in its text alone.
func (r *refusal) text(body []byte) { r.name = append(r.name[:0], r.wordIn(body)...) }

// close names the end of a WebSocket by its code and, where that is one word, its reason.
func (r *refusal) close(body []byte) {
	if len(body) < 2 {
		r.clear()
		return
	}
	r.name = strconv.AppendUint(append(r.name[:0], "closed "...), uint64(binary.BigEndian.Uint16(body)), 10)
	if reason := body[2:]; len(reason) > 0 && len(leadingWord(reason)) == len(reason) {
		r.name = append(append(r.name, ' '), reason...)
	}
}

func (r *refusal) wordIn(body []byte) []byte {
	if len(r.after) == 0 {
		return nil
	}
	at := bytes.Index(body, r.after)
	if at < 0 {
		return nil
	}
	return leadingWord(body[at+len(r.after):])
}

// leadingWord is what text begins with that reads as a name: nothing of a server's reaches a report but such words.
func leadingWord(text []byte) []byte {
	n := 0
	for n < min(len(text), maxName) && isWordByte(text[n]) {
		n++
	}
	return text[:n]
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.'
}

// maxNames bounds the names that a session keeps.
const maxNames = 64

// kindOf returns the name of the last refusal as text that is made once for each name.
func (s *session) kindOf(name []byte) string {
	if len(name) == 0 {
		return ""
	}
	if known, ok := s.kinds[string(name)]; ok {
		return known
	}
	if len(s.kinds) >= maxNames {
		return measure.OtherKinds
	}
	if s.kinds == nil {
		s.kinds = map[string]string{}
	}
	kind := string(name)
	s.kinds[kind] = kind
	return kind
}
