package burst

// hexadecimal reads a chunk size, up to an extension or the end of the line.
func hexadecimal(in []byte) (int, bool) {
	value, digits := 0, 0
	for _, c := range in {
		switch {
		case c >= '0' && c <= '9':
			value = value<<4 | int(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			value = value<<4 | int(c|0x20-'a'+10)
		case c == ';' || c == '\r' || c == ' ':
			return value, digits > 0
		default:
			return 0, false
		}
		if digits++; digits > 7 {
			return 0, false
		}
	}
	return value, digits > 0
}

// equalFold compares ASCII text without regard to case; want is lower case.
func equalFold(got []byte, want string) bool {
	if len(got) != len(want) {
		return false
	}
	for i, c := range got {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

func trimSpace(in []byte) []byte {
	for len(in) > 0 && (in[0] == ' ' || in[0] == '\t') {
		in = in[1:]
	}
	for len(in) > 0 && (in[len(in)-1] == ' ' || in[len(in)-1] == '\t') {
		in = in[:len(in)-1]
	}
	return in
}
