package burst

import "bytes"

const (
	maxStream = 1<<24 - 1
	maxIDs    = 1 << 40 // of one stream
	uuidBytes = 36
	nowLayout = "2006-01-02T15:04:05.000Z"
)

// idSequence makes UUIDs that look random and never repeat: the number of the id, with its stream, goes through a
// bijection of 64 bits, all of which are in the UUID. The same (seed, stream) gives the same ids.
type idSequence struct {
	seed, salt, from uint64
	next             uint64
	values           *valuePool // of the bytes that follow an id; nil until somebody asks for any
}

func newIDs(seed, stream uint64) *idSequence {
	return &idSequence{seed: seed, salt: mix(seed ^ golden), from: stream * maxIDs}
}

// appendNext appends the next id and the bytes that follow from it, size in all.
func (s *idSequence) appendNext(dst []byte, size int) []byte {
	n := s.next
	s.next++
	return s.appendRest(s.append(dst, n), n, size-uuidBytes)
}

// appendRest appends bytes that follow from the n-th id.
func (s *idSequence) appendRest(dst []byte, n uint64, size int) []byte {
	if size == 0 {
		return dst
	}
	if s.values == nil {
		s.values = poolFor(s.seed)
	}
	return s.values.appendValue(dst, s.from+n, size)
}

// whose returns which id of whose a text begins with, false where what follows does not follow from it.
func (s *idSequence) whose(text []byte) (stream, n uint64, ok bool) {
	if stream, n, ok = s.find(text[:min(uuidBytes, len(text))]); !ok {
		return 0, 0, false
	}
	own := idSequence{seed: s.seed, from: stream * maxIDs, values: s.values}
	rest := text[uuidBytes:]
	return stream, n, bytes.Equal(own.appendRest(nil, n, len(rest)), rest)
}

// append appends the n-th id, in the form of a version 4 UUID (RFC 9562 §5.4).
func (s *idSequence) append(dst []byte, n uint64) []byte {
	whole := mix(s.from + n + s.salt)
	rest := mix(whole ^ s.seed)
	high := whole&^0xffff | 4<<12 | whole>>4&0xfff
	low := 2<<62 | whole&15<<58 | rest>>6
	dst = appendHex(dst, high>>32, 8)
	dst = append(dst, '-')
	dst = appendHex(dst, high>>16, 4)
	dst = append(dst, '-')
	dst = appendHex(dst, high, 4)
	dst = append(dst, '-')
	dst = appendHex(dst, low>>48, 4)
	dst = append(dst, '-')
	return appendHex(dst, low, 12)
}

// find returns which id of whose a text is, in the form that append writes.
func (s *idSequence) find(text []byte) (stream, n uint64, ok bool) {
	if len(text) != uuidBytes {
		return 0, 0, false
	}
	var parts [5]uint64
	bad := (text[8] ^ '-') | (text[13] ^ '-') | (text[18] ^ '-') | (text[23] ^ '-')
	for i, at := range [5][2]int{{0, 8}, {9, 13}, {14, 18}, {19, 23}, {24, 36}} {
		for _, c := range text[at[0]:at[1]] {
			digit := hexValues[c]
			bad |= digit & 0xf0
			parts[i] = parts[i]<<4 | uint64(digit)
		}
	}
	if bad != 0 {
		return 0, 0, false
	}
	high, low := parts[0]<<32|parts[1]<<16|parts[2], parts[3]<<48|parts[4]
	whole := high&^0xffff | (high&0xfff)<<4 | low>>58&15
	rest := mix(whole ^ s.seed)
	if high != whole&^0xffff|4<<12|whole>>4&0xfff || low != 2<<62|whole&15<<58|rest>>6 {
		return 0, 0, false
	}
	at := unmix(whole) - s.salt
	return at / maxIDs, at % maxIDs, at/maxIDs <= maxStream
}

// place is find for an id that is taken to be one of these: it looks only at the digits that say which.
func (s *idSequence) place(text []byte) (stream, n uint64, ok bool) {
	if len(text) != uuidBytes {
		return 0, 0, false
	}
	var whole uint64
	bad := uint8(0)
	for _, at := range [3][2]int{{0, 8}, {9, 13}, {15, 18}} { // what follows the version
		for _, c := range text[at[0]:at[1]] {
			digit := hexValues[c]
			bad |= digit & 0xf0
			whole = whole<<4 | uint64(digit)
		}
	}
	last, next := hexValues[text[19]], hexValues[text[20]] // behind the variant
	whole = whole<<4 | uint64(last&3)<<2 | uint64(next>>2&3)
	at := unmix(whole) - s.salt
	return at / maxIDs, at % maxIDs, (bad|last|next)&0xf0 == 0 && at/maxIDs <= maxStream
}

// hexValues are the digits of lower case, and 255 for anything else.
var hexValues = func() (values [256]uint8) {
	for i := range values {
		values[i] = 255
	}
	for i := range len(hexDigits) {
		values[hexDigits[i]] = uint8(i)
	}
	return values
}()

// unmix takes back mix.
func unmix(x uint64) uint64 {
	x = (x ^ x>>31 ^ x>>62) * 0x319642b2d24d8ec3
	x = (x ^ x>>27 ^ x>>54) * 0x96de1b173f119089
	return x ^ x>>30 ^ x>>60
}

// appendHex appends the lowest digits of x.
func appendHex(dst []byte, x uint64, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[x>>shift&15])
	}
	return dst
}
