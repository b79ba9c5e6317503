package burst

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestADocumentIsAKilobyteOfTheDescribedShape(t *testing.T) {
	t.Parallel()
	const n = 20_000
	table, err := documentsFor(7, n)
	require.NoError(t, err)
	f := table.factsOf(n)
	require.InEpsilon(t, 1024, f.MeanBytes, 0.02)
	require.Greater(t, f.MinBytes, 1024*95/100)
	require.Less(t, f.MaxBytes, 1024*105/100)
	for _, key := range []uint64{0, 1, n - 1} {
		var d struct {
			ID, Timestamp, Data string
			Metadata            struct {
				Tags   []string
				Scores []float64
			}
			Fields []struct {
				Name   string
				Nested map[string]any
			}
		}
		require.NoError(t, json.Unmarshal(table.at(key), &d))
		require.Equal(t, fmt.Sprintf("doc-%d", key), d.ID)
		require.Len(t, d.Data, 100)
		require.Len(t, d.Metadata.Tags, 5)
		require.Len(t, d.Metadata.Scores, 5)
		require.Len(t, d.Fields, 10)
		require.NotEmpty(t, d.Fields[9].Nested)
	}
}

func TestDocumentsDependOnSeedAndKeyOnly(t *testing.T) {
	t.Parallel()
	small, err := documentsFor(7, 100)
	require.NoError(t, err)
	large, err := documentsFor(7, 1000)
	require.NoError(t, err)
	require.Equal(t, small.factsOf(100), large.factsOf(100))
	other, err := documentsFor(8, 100)
	require.NoError(t, err)
	require.NotEqual(t, small.factsOf(100).SHA256, other.factsOf(100).SHA256)
	_, err = documentsFor(7, maxDocuments+1)
	require.Error(t, err)
}
