package burst_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScript(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/burst.js")
	require.NoError(t, err)
	v := newVU(t)
	var c counter
	v.set("address", respServer(t, c.incr))
	v.eval(string(script))
	require.Equal(t, int64(158), c.stored())
}
