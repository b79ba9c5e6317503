package measure

// maxKinds bounds the names of failures that a window keeps: a server may put anything into them.
const maxKinds = 16

// OtherKinds is the name of what comes beyond maxKinds.
const OtherKinds = "others"

// kinds counts failures by what the server called them, say "HTTP 503 Overloaded"; what has no name is not in it.
type kinds map[string]int64

func (k *kinds) add(name string, n int64) {
	if name == "" || n == 0 {
		return
	}
	if *k == nil {
		*k = kinds{}
	}
	if _, known := (*k)[name]; !known && len(*k) >= maxKinds {
		name = OtherKinds
	}
	(*k)[name] += n
}
