package measure

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
)

func TestBucketsAreThoseOfHdrHistogram(t *testing.T) {
	t.Parallel()
	reference := hdrhistogram.New(1, histMax, histDigits)
	h := &hist{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		units := int64(1) << random.IntN(30)
		units = min(histMax, units+random.Int64N(units))
		require.NoError(t, reference.RecordValue(units))
		h.record(units*histUnitNs, 1)
	}
	require.Equal(t, reference.Export().Counts, h.counts)
	for _, q := range []float64{0.001, 0.5, 0.95, 0.99, 0.999, 1} {
		want := float64(reference.ValueAtQuantile(q*100)) * histUnitNs / 1e6
		require.InDelta(t, want, h.quantileMs(q)[0], 1e-9, "quantile %v", q)
	}
}

func TestOutOfRangeValuesAreClamped(t *testing.T) {
	t.Parallel()
	h := &hist{}
	h.record(-5, 1)
	h.record(3600e9, 2)
	require.Equal(t, int64(3), h.total)
	require.Equal(t, int64(1), h.counts[0])
	require.Equal(t, int64(2), h.counts[histIndex(histMax)])
}

func TestMergeAndResetKeepEveryCount(t *testing.T) {
	t.Parallel()
	a, b := &hist{}, &hist{}
	a.record(1000, 2)
	b.record(5_000_000, 3)
	b.record(100, 4)
	a.merge(b)
	require.Equal(t, int64(9), a.total)
	a.reset()
	require.Zero(t, a.total)
	for _, n := range a.counts {
		require.Zero(t, n)
	}
	a.merge(b)
	require.Equal(t, b.counts, a.counts)
}

func TestEncodingDecodesInGo(t *testing.T) {
	t.Parallel()
	h := &hist{}
	h.record(1_000_000, 99)
	h.record(200_000_000, 1)
	data, err := h.encode()
	require.NoError(t, err)
	decoded, err := hdrhistogram.Decode([]byte(data))
	require.NoError(t, err)
	require.Equal(t, int64(100), decoded.TotalCount())
	require.InEpsilon(t, 10_000, decoded.ValueAtQuantile(50), 0.001)
	require.InEpsilon(t, 2_000_000, decoded.Max(), 0.001)
}

// The report reads histograms with hdr-histogram-js; this proves that it sees the same counts.
func TestEncodingDecodesInNode(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not on PATH")
	}
	module := nodeModule("hdr-histogram-js")
	if module == "" {
		t.Skip("hdr-histogram-js is not installed: run npm ci at the root, or set NODE_PATH")
	}
	h := &hist{}
	for i := range int64(1000) {
		h.record((i+1)*100_000, i+1)
	}
	data, err := h.encode()
	require.NoError(t, err)
	script := `const hdr = require(process.argv[1]);
		const h = hdr.decodeFromCompressedBase64(process.argv[2]);
		console.log(JSON.stringify([h.totalCount, h.getValueAtPercentile(50), h.getValueAtPercentile(99), h.maxValue]))`
	out, err := exec.Command(node, "-e", script, module, data).Output()
	require.NoError(t, err)
	var got []float64
	require.NoError(t, json.Unmarshal(out, &got))
	q := h.quantileMs(0.5, 0.99, 1)
	require.InDeltaSlice(t, []float64{float64(h.total), q[0] * 1e4, q[1] * 1e4, q[2] * 1e4}, got, 1e-6)
}

// nodeModule looks for an installed package in NODE_PATH and in the folders above.
func nodeModule(name string) string {
	folders := filepath.SplitList(os.Getenv("NODE_PATH"))
	at, err := os.Getwd()
	for err == nil && at != filepath.Dir(at) {
		folders = append(folders, filepath.Join(at, "node_modules"))
		at = filepath.Dir(at)
	}
	for _, folder := range folders {
		if path := filepath.Join(folder, name); exists(path) {
			return path
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func BenchmarkRecord(b *testing.B) {
	h := &hist{}
	for i := range b.N {
		h.record(int64(i&0xfffff)*100, 1)
	}
}
