package burst

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

type partKind uint8

const (
	literal  partKind = iota
	keyPart           // {key} or {key:WIDTH}
	seqPart           // {seq}: operations of this connection so far
	strmPart          // {stream}
	valPart           // {value:N}
	uuidPart          // {uuid}: the next id of the sequence; {uuid:N} with bytes that follow from it, N in all
	nowPart           // {now}: moment of sending, UTC to the millisecond
	docPart           // {document}: the key's document
	sizePart          // decimal byte length of another text
	listPart          // {of:LIST} or {of:LIST+N}: the one of a turn's list that the key, or the N-th after it, falls on
	ownPart           // {value}: the key's value that says whose it is
	slotPart          // {$NAME}: what a turn knows by a name
)

// part is one compiled segment of a template.
type part struct {
	kind partKind
	lit  []byte
	n    int  // digits of a padded key, bytes of a value or of an id, places after the key, number of a slot
	of   text // of sizePart
	list [][]byte
}

// text is a template compiled to segments.
type text []part

// vars are the values of one operation.
type vars struct {
	key, seq, stream uint64
	values           *valuePool
	ids              *idSequence
	now              []byte
	documents        *documentTable
	versions         *versions // nil: each document has one
	version          uint32    // that is written; that a reader may find at least
	stored           *storedValues
	turn             uint32   // which writing of the key it is
	hash             uint64   // of the value that is written
	slots            [][]byte // of a turn
}

var (
	placeholder = regexp.MustCompile(`\{(key|seq|stream|value|uuid|now|document)(?::(\d{1,8}))?\}`)
	reference   = regexp.MustCompile(`\{(?:of:([A-Za-z]\w*)(?:\+(\d{1,8}))?|\$([A-Za-z]\w*))\}`)
)

// maxKeyWidth is the longest padded key.
const maxKeyWidth = 40

// compile splits a template into segments. Braces that are no placeholder, as in JSON, stand for themselves.
func compile(template string) (text, error) {
	var t text
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(template, -1) {
		t = t.literal(template[at:m[0]])
		at = m[1]
		number := 0
		if m[4] >= 0 {
			number, _ = strconv.Atoi(template[m[4]:m[5]])
		}
		p, err := newPart(template[m[2]:m[3]], number, m[4] >= 0)
		if err != nil {
			return nil, fmt.Errorf("template %q: %w", template, err)
		}
		t = append(t, p)
	}
	return t.literal(template[at:]), nil
}

func newPart(name string, number int, given bool) (part, error) {
	switch {
	case name == "value" && number > maxValue:
		return part{}, fmt.Errorf("{value:N} is at most %d bytes long", maxValue)
	case name == "value" && !given:
		return part{kind: ownPart}, nil
	case name == "value":
		return part{kind: valPart, n: number}, nil
	case name == "key" && number > maxKeyWidth:
		return part{}, fmt.Errorf("{key:N} is at most %d digits wide", maxKeyWidth)
	case name == "key":
		return part{kind: keyPart, n: number}, nil
	case name == "uuid" && given && (number < uuidBytes || number > maxValue):
		return part{}, fmt.Errorf("{uuid:N} is from %d to %d bytes long", uuidBytes, maxValue)
	case name == "uuid":
		return part{kind: uuidPart, n: max(uuidBytes, number)}, nil
	case given:
		return part{}, errors.New("{" + name + "} takes no number")
	case name == "seq":
		return part{kind: seqPart}, nil
	case name == "now":
		return part{kind: nowPart}, nil
	case name == "document":
		return part{kind: docPart}, nil
	default:
		return part{kind: strmPart}, nil
	}
}

// compileWith is compile for the texts of a turn, which refer to its lists and to what it knows by name.
func compileWith(template string, known *names) (text, error) {
	if known == nil {
		return compile(template)
	}
	var t text
	at := 0
	before := func(end int) error {
		plain, err := compile(template[at:end])
		t = t.add(plain)
		return err
	}
	for _, m := range reference.FindAllStringSubmatchIndex(template, -1) {
		if err := before(m[0]); err != nil {
			return nil, err
		}
		at = m[1]
		p, err := known.part(template, m)
		if err != nil {
			return nil, fmt.Errorf("template %q: %w", template, err)
		}
		t = append(t, p)
	}
	return t, before(len(template))
}

// part makes the segment of a match of reference.
func (n *names) part(template string, m []int) (part, error) {
	if m[6] >= 0 {
		name := template[m[6]:m[7]]
		slot, isKnown := n.slots[name]
		if !isKnown {
			return part{}, fmt.Errorf("{$%s}: nothing before it sets or takes that name", name)
		}
		return part{kind: slotPart, n: slot}, nil
	}
	name := template[m[2]:m[3]]
	list := n.lists[name]
	if list == nil {
		return part{}, fmt.Errorf("{of:%s}: there is no such list", name)
	}
	after := 0
	if m[4] >= 0 {
		after, _ = strconv.Atoi(template[m[4]:m[5]])
	}
	return part{kind: listPart, list: list, n: after}, nil
}

// one returns the element of a list that a key falls on.
func (p *part) one(v *vars) []byte { return p.list[p.place(v)] }

// place returns which one of the list that is.
func (p *part) place(v *vars) int { return int((v.key + uint64(p.n)) % uint64(len(p.list))) }

// literal appends fixed bytes, joined to a literal before them.
func (t text) literal(s string) text {
	if s == "" {
		return t
	}
	if n := len(t); n > 0 && t[n-1].kind == literal {
		t[n-1].lit = append(t[n-1].lit, s...)
		return t
	}
	return append(t, part{kind: literal, lit: []byte(s)})
}

// add appends another text.
func (t text) add(other text) text {
	for _, p := range other {
		if p.kind == literal {
			t = t.literal(string(p.lit))
		} else {
			t = append(t, p)
		}
	}
	return t
}

// sized appends the decimal byte length that other will have.
func (t text) sized(other text) text {
	if other.fixed() {
		return t.literal(strconv.Itoa(other.size(&vars{})))
	}
	return append(t, part{kind: sizePart, of: other})
}

// fixed reports whether the text has always the same length.
func (t text) fixed() bool {
	for _, p := range t {
		switch {
		case p.kind == seqPart, p.kind == strmPart, p.kind == sizePart, p.kind == docPart, p.kind == keyPart && p.n == 0,
			p.kind == listPart, p.kind == slotPart, p.kind == ownPart:
			return false
		}
	}
	return true
}

// uses reports whether a kind of placeholder occurs, in sizes too.
func (t text) uses(kinds ...partKind) bool {
	for _, p := range t {
		for _, kind := range kinds {
			if p.kind == kind || p.kind == sizePart && p.of.uses(kind) {
				return true
			}
		}
	}
	return false
}

func (t text) size(v *vars) int {
	size := 0
	for i := range t {
		switch p := &t[i]; p.kind {
		case literal:
			size += len(p.lit)
		case keyPart:
			size += max(p.n, digits(v.key))
		case seqPart:
			size += digits(v.seq)
		case strmPart:
			size += digits(v.stream)
		case valPart:
			size += p.n
		case uuidPart:
			size += p.n
		case nowPart:
			size += len(nowLayout)
		case docPart:
			size += len(v.documents.at(v.key))
		case listPart:
			size += len(p.one(v))
		case slotPart:
			size += len(v.slots[p.n])
		case ownPart:
			size += v.stored.size(v.hash)
		case sizePart:
			size += digits(uint64(p.of.size(v)))
		}
	}
	return size
}

func (t text) append(dst []byte, v *vars) []byte {
	for i := range t {
		switch p := &t[i]; p.kind {
		case literal:
			dst = append(dst, p.lit...)
		case keyPart:
			for pad := p.n - digits(v.key); pad > 0; pad-- {
				dst = append(dst, '0')
			}
			dst = strconv.AppendUint(dst, v.key, 10)
		case seqPart:
			dst = strconv.AppendUint(dst, v.seq, 10)
		case strmPart:
			dst = strconv.AppendUint(dst, v.stream, 10)
		case valPart:
			dst = v.values.appendValue(dst, v.key, p.n)
		case uuidPart:
			dst = v.ids.appendNext(dst, p.n)
		case nowPart:
			dst = append(dst, v.now...)
		case docPart:
			from := len(dst)
			if dst = append(dst, v.documents.at(v.key)...); v.versions != nil {
				stamp(dst[from:], v.version)
			}
		case listPart:
			dst = append(dst, p.one(v)...)
		case slotPart:
			dst = append(dst, v.slots[p.n]...)
		case ownPart:
			dst = v.stored.appendHashed(dst, v.hash, v.key, v.turn)
		case sizePart:
			dst = strconv.AppendUint(dst, uint64(p.of.size(v)), 10)
		}
	}
	return dst
}

// digits returns the decimal length of a number.
func digits(x uint64) int {
	n := 1
	for ; x >= 10; x /= 10 {
		n++
	}
	return n
}
