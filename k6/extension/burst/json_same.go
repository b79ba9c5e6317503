package burst

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// sameJSON reports whether a reply says what is wanted: each wanted member of an object, with null for one that is left
// out, and all elements of a list, in whatever order. Members beyond those that are wanted are the server's own. It is as
// deep as what is wanted, whatever the reply is.
func sameJSON(want, got []byte) bool {
	switch first := firstOf(want); first {
	case '{':
		return sameMembers(want, got)
	case '[':
		return firstOf(got) == '[' && sameElements(want, got)
	case '"':
		return firstOf(got) == '"' && sameText(trimJSON(want), trimJSON(got))
	case 'n', 0:
		return len(got) == 0 || string(got) == "null"
	case 't', 'f':
		return bytes.Equal(trimJSON(want), got)
	}
	return sameNumber(trimJSON(want), got)
}

func sameMembers(want, got []byte) bool {
	if firstOf(got) != '{' {
		return false
	}
	for at := skipSpace(want, 0) + 1; ; at++ {
		at = skipSpace(want, at)
		end, ok := skipString(want, at)
		if !ok {
			return at < len(want) && want[at] == '}' // {}
		}
		name := want[at+1 : end-1]
		at = skipSpace(want, skipSpace(want, end)+1)
		if end, ok = skipValue(want, at); !ok {
			return false
		}
		if !sameJSON(want[at:end], memberOf(got, string(name))) {
			return false
		}
		if at = skipSpace(want, end); at == len(want) || want[at] != ',' {
			return at < len(want) && want[at] == '}'
		}
	}
}

// sameElements takes elements in their order as long as they agree, and then looks for each among the rest.
func sameElements(want, got []byte) bool {
	wanted, found := newElements(want), newElements(got)
	for {
		a, more := wanted.next()
		b, others := found.next()
		switch {
		case !more && !others:
			return wanted.whole && found.whole
		case more != others:
			return false
		case !sameJSON(a, b):
			return sameInAnyOrder(append(rest(&wanted), a), append(rest(&found), b)) && wanted.whole && found.whole
		}
	}
}

func rest(it *elements) (all [][]byte) {
	for {
		one, more := it.next()
		if !more {
			return all
		}
		all = append(all, one)
	}
}

func sameInAnyOrder(wanted, found [][]byte) bool {
	if len(wanted) != len(found) {
		return false
	}
search:
	for _, a := range wanted {
		for i, b := range found {
			if sameJSON(a, b) {
				found[i] = found[len(found)-1]
				found = found[:len(found)-1]
				continue search
			}
		}
		return false
	}
	return true
}

// sameText compares two texts with their quotes; what is written with escapes may be written otherwise.
func sameText(want, got []byte) bool {
	if bytes.Equal(want, got) {
		return true
	}
	if bytes.IndexByte(want, '\\') < 0 && bytes.IndexByte(got, '\\') < 0 {
		return false
	}
	var a, b string
	return json.Unmarshal(want, &a) == nil && json.Unmarshal(got, &b) == nil && a == b
}

func sameNumber(want, got []byte) bool {
	if bytes.Equal(want, got) {
		return true
	}
	a, err := strconv.ParseFloat(string(want), 64)
	if err != nil {
		return false
	}
	b, err := strconv.ParseFloat(string(got), 64)
	return err == nil && a == b
}
