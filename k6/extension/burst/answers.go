package burst

import "bytes"

// answers compares replies with what the keys of their operations ask for. Replies come in order, so that the keys in
// flight are a queue. The zero value expects nothing and costs nothing.
type answers struct {
	want    text
	on      bool
	keys    []vars // in flight: keys[head:]
	head    int
	scratch []byte
}

// newAnswers compiles what a template says that it returns; nil asks for nothing.
func newAnswers(returns *string) (answers, error) {
	if returns == nil {
		return answers{}, nil
	}
	want, err := compile(*returns)
	return answers{want: want, on: true}, err
}

// sent notes an operation.
func (a *answers) sent(v *vars) {
	if a.on {
		if v.versions != nil {
			v.version = v.versions.keys[v.key].first()
		}
		a.keys = append(a.keys, *v)
	}
}

// check takes the oldest operation and reports whether the body is its answer.
func (a *answers) check(body []byte) bool {
	if !a.on {
		return true
	}
	if a.head == len(a.keys) {
		return false
	}
	v := &a.keys[a.head]
	a.head++
	if a.head == len(a.keys) {
		a.forget() // the array keeps v
	}
	if len(a.want) == 1 && a.want[0].kind == docPart {
		if v.versions != nil {
			return v.versions.mayBe(v.key, body, v.version)
		}
		return bytes.Equal(v.documents.at(v.key), body)
	}
	a.scratch = a.want.append(a.scratch[:0], v)
	return bytes.Equal(a.scratch, body)
}

// forget empties the queue: for a new connection.
func (a *answers) forget() { a.keys, a.head = a.keys[:0], 0 }
