package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArgumentsThatNobodyMaySeeComeByTheEnvironment(t *testing.T) {
	t.Setenv("LADDERBENCH_ENV_K6_VUS", "7")
	t.Setenv("LADDERBENCH_ENV_EMPTY", "")
	t.Setenv("LADDERBENCH_ENV_BASH_FUNC_x%%", "no name for k6")
	t.Setenv("LADDERBENCH_ARGUMENTS", `["--out","json=/a, b=c/m.json"]`)
	more, err := hiddenArguments(os.Environ())
	require.NoError(t, err)
	require.Subset(t, more, []string{"--env", "K6_VUS=7", "EMPTY=", "--out", "json=/a, b=c/m.json"})
	require.Len(t, more, 6)
	for _, name := range []string{"LADDERBENCH_ENV_K6_VUS", "LADDERBENCH_ARGUMENTS"} {
		_, there := os.LookupEnv(name)
		require.False(t, there, name)
	}
}

func TestArgumentsThatAreNoListAreAnError(t *testing.T) {
	t.Setenv("LADDERBENCH_ARGUMENTS", "--out json")
	_, err := hiddenArguments(os.Environ())
	require.ErrorContains(t, err, "LADDERBENCH_ARGUMENTS")
}
