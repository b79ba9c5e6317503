package burst

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
}

func newIDs(seed, stream uint64) *idSequence {
	return &idSequence{seed: seed, salt: mix(seed ^ golden), from: stream * maxIDs}
}

// appendNext appends the next id.
func (s *idSequence) appendNext(dst []byte) []byte {
	n := s.next
	s.next++
	return s.append(dst, n)
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

// appendHex appends the lowest digits of x.
func appendHex(dst []byte, x uint64, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[x>>shift&15])
	}
	return dst
}
