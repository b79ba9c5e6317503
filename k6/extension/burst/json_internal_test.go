package burst

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const farm = ` { "data" : {"getById":{"id":"f-1","name":"a \"quoted\" ]} one","n":-12.5e3,"ok":true,"none":null,"empty":[],
	"coops":[{"name":"x","hens":[1,2]} , {"name":"y","hens":[3,[4],{}]},{"name":"z","hens":[]}]}}, "errors" : null }`

func look(t *testing.T, in, at string, o checkOptions) bool {
	t.Helper()
	o.At = at
	p, err := o.probe(&names{slots: map[string]int{}})
	require.NoError(t, err)
	return p.holds([]byte(in), &vars{})
}

func says(text string) checkOptions { return checkOptions{Is: &text} }

func hasCount(n int) checkOptions { return checkOptions{Length: &n} }

func TestRepliesAreHeldAgainstWhatIsDemanded(t *testing.T) {
	t.Parallel()
	list, none := checkOptions{List: true}, checkOptions{None: true}
	for at, demands := range map[string]map[bool][]checkOptions{
		"/data/getById/id":                  {true: {says("f-1"), says("")}, false: {says("f-2"), says("f"), hasCount(0), list, none}},
		"/data/getById/name":                {true: {says(`a "quoted" ]} one`)}, false: {says("a")}},
		"/data/getById/n":                   {true: {says("-12.5e3")}, false: {says("-12500")}},
		"/data/getById/ok":                  {true: {says("true")}, false: {says("false")}},
		"/data/getById/none":                {true: {none}, false: {says("null"), list, hasCount(0)}},
		"/data/getById/empty":               {true: {none, list, hasCount(0)}, false: {hasCount(1)}},
		"/data/getById/missing":             {true: {none}, false: {says("x"), list, hasCount(0)}},
		"/missing/deep/down":                {true: {none}, false: {list}},
		"/data/getById/coops":               {true: {list, hasCount(3)}, false: {none, hasCount(2)}},
		"/data/getById/coops/1/name":        {true: {says("y")}, false: {says("x")}},
		"/data/getById/coops/9/name":        {true: {none}, false: {says("x")}},
		"/data/getById/coops/*/hens":        {true: {list}, false: {hasCount(2), none}},
		"/data/getById/empty/*/hens":        {true: {hasCount(4)}},
		"/data/getById/id/*/hens":           {false: {hasCount(4), list}},
		"/data/getById/coops/name=y/hens/2": {false: {list, says("x")}},
		"/data/getById/coops/name=y/hens":   {true: {hasCount(3)}},
		"/data/getById/coops/name=q/hens":   {true: {none}, false: {list}},
		"/errors":                           {true: {none}, false: {list}},
		"":                                  {false: {list, none}},
	} {
		for want, all := range demands {
			for _, o := range all {
				require.Equal(t, want, look(t, farm, at, o), "%s %+v", at, o)
			}
		}
	}
}

func TestWhatMakesNoSenseIsNotRight(t *testing.T) {
	t.Parallel()
	list := checkOptions{List: true}
	for _, in := range []string{``, `[`, `{`, `{"a"`, `{"a":`, `{"a":[`, `{"a":[1,`, `{"a":[1`, `{"a":"x`, `nonsense`, `{"a":}`, `{"a":"x\`} {
		require.False(t, look(t, in, "/a", says("x")), in)
		require.False(t, look(t, in, "/a", hasCount(1)), in)
		require.False(t, look(t, in, "/a/*", says("1")), in)
		require.False(t, look(t, in, "/a", list), in)
	}
}

func TestOnlyPlainTextsAreTaken(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"id":"abc-1"}`: "abc-1", `{"id":17}`: "17", `{"id":"a\u002db"}`: "a-b", `{"id":"a\"b"}`: "", `{"id":""}`: "", `{"id":null}`: "",
		`{"id":{}}`: "", `{}`: "", `{"id":"two words"}`: "", `{"id":"` + strings.Repeat("x", maxTaken+1) + `"}`: "",
	} {
		path, err := compileJSONPath("/id", nil)
		require.NoError(t, err)
		p := probe{path: path, kind: probeTake}
		require.Equal(t, want != "", p.holds([]byte(in), &vars{}), in)
		if want != "" {
			require.Equal(t, want, string(p.found), in)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(farm), "data")
	f.Add([]byte(`{"a":[1,{"b":2}]}`), "a")
	for _, kept := range keptDocuments {
		f.Add([]byte(kept.in), kept.name)
	}
	f.Fuzz(func(t *testing.T, in []byte, name string) {
		member := memberOf(in, name)
		_, _ = lengthOf(member)
		_ = elementAt(in, 3)
		_ = elementWhere(in, name, []byte("x"))
		var whole map[string]json.RawMessage
		if strings.ContainsAny(name, `"\`) || strings.Contains(string(in), `\`) || json.Unmarshal(in, &whole) != nil || whole == nil {
			return
		}
		want, has := whole[name]
		if member == nil {
			require.False(t, has)
			return
		}
		var list []json.RawMessage
		n, isList := lengthOf(want)
		require.Equal(t, json.Unmarshal(want, &list) == nil && list != nil, isList)
		require.Len(t, list, n)
	})
}

// A turn in its steady state allocates nothing.
func TestATurnAllocatesNothing(t *testing.T) {
	keys, err := newKeys(keysOptions{Seed: 1, Stream: 1, Space: 1000})
	require.NoError(t, err)
	name := "{$name}"
	o := &turnOptions{
		operations: []string{"create", "read"},
		Lists:      map[string][]string{"zones": {"north", "south"}},
		Steps: []stepOptions{
			{
				Op: "create", Set: map[string]string{"name": "hen-{seq}"}, Acked: map[string]string{"zone": "{of:zones}"},
				requestOptions: requestOptions{
					Method: "POST", Path: "/hens", Body: `{"name":"{$name}","zone":"{of:zones}"}`,
					Take: map[string]takeOptions{"id": {At: new(string)}},
				},
			},
			{Op: "read", requestOptions: requestOptions{Path: "/hens/{$id}", Checks: []checkOptions{{At: "/list/*/name", Is: &name}}}},
		},
	}
	*o.Steps[0].Take["id"].At = "/id"
	made, err := newTurnCodec(o, protocolOptions{Protocol: "http", Address: "127.0.0.1:1"}, keys)
	require.NoError(t, err)
	c := made.(*turnCodec)
	out := make([]byte, 0, 4096)
	answer := func(body string) []byte {
		return []byte("HTTP/1.1 200 OK\r\nContent-Length: " + string(text(nil).sized(text(nil).literal(body))[0].lit) + "\r\n\r\n" + body)
	}
	created := answer(`{"id":"17"}`)
	reads := answer(`{"list":[]}`)
	round := func() {
		out = c.requests(out[:0], 1)
		_, ok, why := c.replies(created, 1)
		require.True(t, ok == 1 && why == stopLimit)
		out = c.requests(out[:0], 1)
		_, ok, why = c.replies(reads, 1)
		require.True(t, ok == 1 && why == stopLimit)
	}
	round()
	require.Zero(t, testing.AllocsPerRun(1000, round))
}
