package burst

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsTheSameJSON(t *testing.T) {
	t.Parallel()
	for want, replies := range map[string]map[bool][]string{
		`{"a":1,"b":{"c":"x","d":null}}`: {
			true:  {`{"a":1,"b":{"c":"x"}}`, ` { "b" : {"d":null,"c":"x","more":1} , "a":1.0 }`, `{"a":1e0,"b":{"c":"\u0078"}}`},
			false: {`{"a":1}`, `{"a":2,"b":{"c":"x"}}`, `{"a":"1","b":{"c":"x"}}`, `{"a":1,"b":{"c":"x","d":0}}`, `{"a":1,"b":[]}`, `null`, ``, `[]`, `{`, `{"a":1,"b":{"c":"x"`},
		},
		`[{"i":1},{"i":2},{"i":2}]`: {
			true:  {`[{"i":1},{"i":2},{"i":2}]`, `[{"i":2}, {"i":1},{"i":2} ]`},
			false: {`[]`, `[{"i":1},{"i":2}]`, `[{"i":1},{"i":1},{"i":2}]`, `[{"i":1},{"i":1},{"i":1}]`, `[null,null,null]`, `[{},{},{}]`, `{"i":1}`, `[{"i":1},{"i":2},{"i":2},{"i":3}]`, `[{"i":1},{"i":2},{"i":2}`},
		},
		`[]`:      {true: {`[]`, ` [ ] `}, false: {`null`, `[null]`, `{}`, ``}},
		`{}`:      {true: {`{}`, `{"x":1}`}, false: {`[]`, `null`}},
		`"a\"b"`:  {true: {`"a\"b"`, `"a\u0022b"`}, false: {`"ab"`, `"a"`, `null`, `1`}},
		`true`:    {true: {`true`}, false: {`false`, `1`, `"true"`, `null`}},
		`-12.5e3`: {true: {`-12500`}, false: {`12500`, `"-12500"`, `null`, ``}},
	} {
		for is, all := range replies {
			for _, got := range all {
				require.Equal(t, is, sameJSON([]byte(want), trimJSON([]byte(got))), "%s as %s", want, got)
			}
		}
	}
}

// Whatever a server sends, it is only as deep as what is wanted.
func TestADeepReplyIsNotFollowed(t *testing.T) {
	t.Parallel()
	deep := `{"a":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `}`
	require.False(t, sameJSON([]byte(`{"a":[1]}`), []byte(deep)))
}

func FuzzSameJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"c"}]}`), []byte(`{"a":[{"b":"c"},1.0]}`))
	f.Fuzz(func(t *testing.T, want, got []byte) {
		sameJSON(want, trimJSON(got))
	})
}

func known(lists map[string][]string) *names {
	n := &names{slots: map[string]int{}, lists: map[string][][]byte{}}
	for name, list := range lists {
		for _, one := range list {
			n.lists[name] = append(n.lists[name], []byte(one))
		}
	}
	return n
}

func TestANumberMayRiseAndNotFall(t *testing.T) {
	t.Parallel()
	at := "{of:least}"
	p, err := checkOptions{At: "/n", Least: &at}.probe(known(map[string][]string{"least": {"3", "0"}}))
	require.NoError(t, err)
	for _, one := range []struct {
		key   uint64
		reply string
		holds bool
	}{{0, `{"n":2}`, false}, {0, `{"n":3}`, true}, {1, `{"n":0}`, true}, {0, `{"n":5}`, true}, {0, `{"n":4}`, false}, {2, `{"n":5.5}`, true}, {1, `{"n":0}`, true}, {1, `{"n":null}`, false}, {1, `{"n":"7"}`, false}, {1, `{}`, false}} {
		require.Equal(t, one.holds, p.holds([]byte(one.reply), &vars{key: one.key}), "%+v", one)
	}
	wrong := "1"
	_, err = checkOptions{At: "/n", Least: &wrong}.probe(known(nil))
	require.ErrorContains(t, err, "one of a list")
}

func TestOnlySomeRepliesAreLookedAt(t *testing.T) {
	t.Parallel()
	n := 1
	p, err := checkOptions{At: "/l", Length: &n, Every: 3}.probe(known(nil))
	require.NoError(t, err)
	for i := range 9 {
		require.Equal(t, i%3 != 0, p.holds([]byte(`{"l":[]}`), &vars{}), i)
	}
	require.Empty(t, newRightBodies([]probe{p}).bodies, "others than those are not known to be right")
}

func TestOnlyRepliesThatFollowFromTheKeyAreKnownAgain(t *testing.T) {
	t.Parallel()
	n := known(map[string][]string{"a": {"1", "2"}, "b": {"x", "y"}, "c": {"1", "2", "3"}})
	n.slot("s")
	probes := func(all ...string) (made []probe) {
		for _, want := range all {
			p, err := checkOptions{At: "/v", Is: &want}.probe(n)
			require.NoError(t, err)
			made = append(made, p)
		}
		return made
	}
	require.Len(t, newRightBodies(probes("{of:a}", "{of:b+1}")).bodies, 2)
	require.Len(t, newRightBodies(probes("same for all")).bodies, 1)
	for _, one := range [][]probe{nil, probes("{of:a}", "{of:c}"), probes("{$s}"), probes("{key}")} {
		require.Empty(t, newRightBodies(one).bodies)
	}
	r := newRightBodies(probes("{of:a}"))
	r.keep([]byte("of 0"), &vars{key: 0})
	require.True(t, r.isKnown([]byte("of 0"), &vars{key: 2}))
	require.False(t, r.isKnown([]byte("of 0"), &vars{key: 1}))
	require.False(t, r.isKnown(nil, &vars{key: 1}), "nothing is not known")
}
