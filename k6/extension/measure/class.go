package measure

import "fmt"

// Class says why an operation failed.
type Class uint8

// The classes of failed operations.
const (
	Connect  Class = iota // no connection, or it was lost
	Timeout               // no answer in time
	Protocol              // an answer that the protocol or the expectation does not allow
	Server                // a well-formed refusal: not applied
	Other                 // anything else
	numClasses
)

var classNames = [numClasses]string{"connect", "timeout", "protocol", "server", "other"}

// String returns the name that JavaScript and the tag `class` use.
func (c Class) String() string { return classNames[c] }

// ParseClass is the inverse of [Class.String].
func ParseClass(name string) (Class, error) {
	for class, known := range classNames {
		if known == name {
			return Class(class), nil
		}
	}
	return Other, fmt.Errorf("unknown error class %q: use one of %v", name, classNames)
}
