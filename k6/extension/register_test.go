package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/ext"

	"ladderbench/k6/extension/burst"
	"ladderbench/k6/extension/influxagg"
	"ladderbench/k6/extension/measure"
)

func TestExtensionsAreRegistered(t *testing.T) {
	t.Parallel()
	require.Contains(t, ext.Get(ext.JSExtension), measure.ImportPath)
	require.Contains(t, ext.Get(ext.JSExtension), burst.ImportPath)
	require.Contains(t, ext.Get(ext.JSExtension), "k6/x/redis")
	require.Contains(t, ext.Get(ext.OutputExtension), influxagg.Name)
}
