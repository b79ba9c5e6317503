package burst

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// jsonStep is one step into a JSON value. Without a member and a condition it goes to every element of a list.
type jsonStep struct {
	member string
	index  int  // of a list, -1 for none
	where  text // the first element of a list whose member says this; nil for none
}

// every reports whether the step goes to all elements of a list.
func (s *jsonStep) every() bool { return s.member == "" && s.index < 0 }

// compileJSONPath reads a JSON pointer whose segments may also be `*`, every element of a list, and `name=text`, the
// first element of a list whose member `name` is the text.
func compileJSONPath(pointer string, known *names) ([]jsonStep, error) {
	if pointer == "" {
		return nil, nil
	}
	if pointer[0] != '/' {
		return nil, fmt.Errorf("%q is no JSON pointer: it must start with /", pointer)
	}
	var path []jsonStep
	for _, segment := range strings.Split(pointer[1:], "/") {
		member, want, isWhere := strings.Cut(segment, "=")
		member = strings.NewReplacer("~1", "/", "~0", "~").Replace(member)
		step := jsonStep{member: member, index: -1}
		switch index, err := strconv.Atoi(segment); {
		case segment == "*":
			step.member = ""
		case member == "":
			return nil, fmt.Errorf("%q: a member without a name", pointer)
		case isWhere:
			where, err := known.compile(want)
			if err != nil {
				return nil, err
			}
			step.where = where
		case err == nil && index >= 0:
			step.index = index
		}
		path = append(path, step)
	}
	return path, nil
}

type probeKind uint8

const (
	probeIs     probeKind = iota // a text or number that says `want`; an empty `want` takes anything
	probeLength                  // a list of n elements
	probeList                    // a list
	probeNone                    // nothing: missing, null or an empty list
	probeTake                    // a text or number, to be kept
	probeSame                    // the same JSON as `want`
	probeLeast                   // a number that has not fallen
)

// probe is one look into a JSON reply. It is one connection's own: it keeps what it found.
type probe struct {
	path []jsonStep
	kind probeKind
	want text
	n    int
	slot int // of probeTake

	least  []float64 // of probeLeast, by place in the list of `want`: what it was when it was last seen
	every  uint64    // how many replies there are for each that is looked at
	seen   uint64
	absent []byte // of probeNone of a member of the reply itself: where this text is not, it is not

	found   []byte // of probeTake, until the next reply
	scratch []byte
}

// holds reports whether the reply is as the probe demands.
func (p *probe) holds(in []byte, v *vars) bool {
	if p.every > 1 {
		if p.seen++; p.seen%p.every != 1 {
			return true
		}
	}
	if p.absent != nil && !bytes.Contains(in, p.absent) {
		return true
	}
	return p.walk(in, p.path, v)
}

// walk follows the rest of the path into a value; nil stands for one that is not there.
func (p *probe) walk(value []byte, path []jsonStep, v *vars) bool {
	if len(path) == 0 || value == nil {
		return p.judge(trimJSON(value), v)
	}
	step := &path[0]
	switch {
	case step.every():
		return p.walkEvery(value, path[1:], v)
	case step.where != nil:
		p.scratch = step.where.append(p.scratch[:0], v)
		return p.walk(elementWhere(value, step.member, p.scratch), path[1:], v)
	case step.index >= 0 && firstOf(value) == '[':
		return p.walk(elementAt(value, step.index), path[1:], v)
	}
	return p.walk(memberOf(value, step.member), path[1:], v)
}

// walkEvery follows the rest of the path into all elements of a list.
func (p *probe) walkEvery(list []byte, path []jsonStep, v *vars) bool {
	if firstOf(list) != '[' {
		return p.judge(nil, v)
	}
	for it := newElements(list); ; {
		element, more := it.next()
		if !more {
			return it.whole
		}
		if !p.walk(element, path, v) {
			return false
		}
	}
}

// judge holds the value that a path ends at against what is demanded.
func (p *probe) judge(value []byte, v *vars) bool {
	switch p.kind {
	case probeLength:
		n, isList := lengthOf(value)
		return isList && n == p.n
	case probeList:
		return firstOf(value) == '['
	case probeNone:
		n, isList := lengthOf(value)
		return len(value) == 0 || string(value) == "null" || isList && n == 0
	case probeTake:
		said, ok := saidBy(value)
		p.found = said
		return ok && isPlain(said)
	case probeSame:
		return sameJSON(p.wanted(v), value)
	case probeLeast:
		return p.hasNotFallen(value, v)
	default:
		p.scratch = p.want.append(p.scratch[:0], v)
		said, ok := saidBy(value)
		return len(p.scratch) == 0 || ok && bytes.Equal(said, p.scratch)
	}
}

// wanted returns what is demanded, without a copy where it is one of a list.
func (p *probe) wanted(v *vars) []byte {
	if len(p.want) == 1 && p.want[0].kind == listPart {
		return p.want[0].one(v)
	}
	p.scratch = p.want.append(p.scratch[:0], v)
	return p.scratch
}

// hasNotFallen demands a number that is at least what it was before.
func (p *probe) hasNotFallen(value []byte, v *vars) bool {
	at := p.want[0].place(v)
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || n < p.least[at] {
		return false
	}
	p.least[at] = n
	return true
}

// maxTaken is the longest text that is kept of a reply.
const maxTaken = 1024

// isPlain reports whether a text can stand in a path or in JSON as it is.
func isPlain(said []byte) bool {
	for _, c := range said {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return len(said) > 0 && len(said) <= maxTaken
}

// saidBy returns what a text says, or a number, true or false as it is written; false for anything else.
func saidBy(value []byte) ([]byte, bool) {
	switch first := firstOf(value); {
	case first == '"':
		inside := value[1 : len(value)-1]
		if bytes.IndexByte(inside, '\\') < 0 {
			return inside, true
		}
		var plain string
		err := json.Unmarshal(value, &plain)
		return []byte(plain), err == nil
	case first == 0 || first == '{' || first == '[' || first == 'n':
		return nil, false
	}
	return value, true
}

// firstOf returns the first byte of a value, 0 where there is none.
func firstOf(value []byte) byte {
	at := skipSpace(value, 0)
	if at == len(value) {
		return 0
	}
	return value[at]
}

// trimJSON returns a value without the blanks around it, nil where it makes no sense.
func trimJSON(value []byte) []byte {
	at := skipSpace(value, 0)
	end, ok := skipValue(value, at)
	if !ok {
		return nil
	}
	return value[at:end]
}

// memberOf returns the value of an object's member, nil where it has none.
func memberOf(object []byte, name string) []byte {
	at := skipSpace(object, 0)
	if at == len(object) || object[at] != '{' {
		return nil
	}
	for at++; ; {
		at = skipSpace(object, at)
		end, ok := skipString(object, at)
		if !ok {
			return nil
		}
		isIt := string(object[at+1:end-1]) == name
		if at = skipSpace(object, end); at == len(object) || object[at] != ':' {
			return nil
		}
		at = skipSpace(object, at+1)
		if end, ok = skipValue(object, at); !ok {
			return nil
		}
		if isIt {
			return object[at:end]
		}
		if at = skipSpace(object, end); at == len(object) || object[at] != ',' {
			return nil
		}
		at++
	}
}

// elements walks through a list.
type elements struct {
	in    []byte
	at    int
	whole bool // its end was reached
}

func newElements(list []byte) elements {
	return elements{in: list, at: skipSpace(list, 0)}
}

// next returns the next element; false when there is none, or none that makes sense.
func (e *elements) next() ([]byte, bool) {
	if e.whole || e.at == len(e.in) {
		return nil, false
	}
	before := e.in[e.at] // `[`, a comma, or the end
	at := skipSpace(e.in, e.at+1)
	if before == ']' || before == '[' && at < len(e.in) && e.in[at] == ']' {
		e.whole = true
		return nil, false
	}
	end, ok := skipValue(e.in, at)
	if !ok || before != '[' && before != ',' {
		e.at = len(e.in)
		return nil, false
	}
	e.at = skipSpace(e.in, end)
	return e.in[at:end], true
}

func lengthOf(list []byte) (n int, isList bool) {
	if firstOf(list) != '[' {
		return 0, false
	}
	it := newElements(list)
	for {
		if _, more := it.next(); !more {
			return n, it.whole
		}
		n++
	}
}

func elementAt(list []byte, index int) []byte {
	for it := newElements(list); ; index-- {
		element, more := it.next()
		if !more || index == 0 {
			return element
		}
	}
}

// elementWhere returns the first element of a list whose member says a text.
func elementWhere(list []byte, member string, want []byte) []byte {
	if firstOf(list) != '[' {
		return nil
	}
	for it := newElements(list); ; {
		element, more := it.next()
		if !more {
			return nil
		}
		if said, ok := saidBy(memberOf(element, member)); ok && bytes.Equal(said, want) {
			return element
		}
	}
}

func skipSpace(in []byte, at int) int {
	for at < len(in) && (in[at] == ' ' || in[at] == '\n' || in[at] == '\r' || in[at] == '\t') {
		at++
	}
	return at
}

// skipString returns the end of the text that begins at a place.
func skipString(in []byte, at int) (int, bool) {
	if at >= len(in) || in[at] != '"' {
		return at, false
	}
	for at++; ; {
		n := bytes.IndexByte(in[at:], '"')
		if n < 0 {
			return len(in), false
		}
		end := at + n
		escapes := 0
		for i := end - 1; i >= at && in[i] == '\\'; i-- {
			escapes++
		}
		if escapes%2 == 0 {
			return end + 1, true
		}
		at = end + 1
	}
}

// skipValue returns the end of the value that begins at a place. What is within lists and objects is not looked at
// beyond their ends.
func skipValue(in []byte, at int) (int, bool) {
	if at >= len(in) {
		return at, false
	}
	switch in[at] {
	case '"':
		return skipString(in, at)
	case '{', '[':
		return skipNested(in, at)
	case ',', ':', '}', ']':
		return at, false
	}
	for at < len(in) {
		switch in[at] {
		case ',', '}', ']', ':', ' ', '\n', '\r', '\t':
			return at, true
		}
		at++
	}
	return at, true
}

// skipNested returns the end of a list or an object.
func skipNested(in []byte, at int) (int, bool) {
	for depth := 0; at < len(in); {
		switch in[at] {
		case '"':
			end, ok := skipString(in, at)
			if !ok {
				return end, false
			}
			at = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1, true
			}
		}
		at++
	}
	return at, false
}

// checkOptions is one entry of `checks` of index.d.ts.
type checkOptions struct {
	At     string  `json:"at"`
	Is     *string `json:"is"`
	Length *int    `json:"length"`
	List   bool    `json:"list"`
	None   bool    `json:"none"`
	Same   *string `json:"same"`
	Least  *string `json:"least"`
	Every  uint64  `json:"every"`
}

func (o checkOptions) probe(known *names) (probe, error) {
	path, err := compileJSONPath(o.At, known)
	if err != nil {
		return probe{}, err
	}
	p := probe{path: path, every: o.Every}
	demands := 0
	if o.Is != nil {
		demands++
		if p.want, err = known.compile(*o.Is); err != nil {
			return probe{}, err
		}
		if p.want.uses(seqPart, uuidPart, nowPart) {
			return probe{}, fmt.Errorf("check of %q: {seq}, {uuid} and {now} are over when the reply comes: set a name to them", o.At)
		}
	}
	if o.Length != nil {
		demands, p.kind, p.n = demands+1, probeLength, *o.Length
	}
	if o.List {
		demands, p.kind = demands+1, probeList
	}
	if o.None {
		demands, p.kind = demands+1, probeNone
		if len(path) == 1 && path[0].where == nil && isPlain([]byte(path[0].member)) {
			p.absent = []byte(path[0].member)
		}
	}
	if o.Same != nil {
		demands, p.kind = demands+1, probeSame
		if p.want, err = known.compile(*o.Same); err != nil {
			return probe{}, err
		}
	}
	if o.Least != nil {
		demands, p.kind = demands+1, probeLeast
		if p.want, p.least, err = leastOf(*o.Least, known); err != nil {
			return probe{}, err
		}
	}
	if demands != 1 {
		return probe{}, errors.New("a check needs one of is, length, list, none, same and least")
	}
	return p, nil
}

// leastOf reads a list of numbers that others may not be below.
func leastOf(template string, known *names) (text, []float64, error) {
	want, err := known.compile(template)
	if err != nil {
		return nil, nil, err
	}
	if len(want) != 1 || want[0].kind != listPart {
		return nil, nil, fmt.Errorf("least: needs one of a list, got %q", template)
	}
	numbers := make([]float64, len(want[0].list))
	for i, one := range want[0].list {
		if numbers[i], err = strconv.ParseFloat(string(one), 64); err != nil {
			return nil, nil, fmt.Errorf("least: %w", err)
		}
	}
	return want, numbers, nil
}
