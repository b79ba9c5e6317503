package main

import (
	"io"
	"strings"
	"testing"
)

func TestOptionsRefused(t *testing.T) {
	for flags, want := range map[string]string{
		"":                                     "nothing to serve",
		"--resp a:1 stray":                     "unexpected argument",
		"--resp a:1 --loops 0":                 "--loops",
		"--resp a:1 --io magic":                "--io",
		"--resp a:1 --drop-every 5":            "needs --counting",
		"--resp a:1 --delay 5":                 "--delay",
		"--resp a:1 --delay 1ms:0.5":           "sum to 0.5",
		"--resp a:1 --delay 1ms:0.5,2ms:x":     "weight",
		"--resp a:1 --delay 1ms:NaN":           "weight",
		"--resp a:1 --delay -1ms":              "negative",
		"--resp a:1 --pause 10s":               "EVERY/FOR",
		"--resp a:1 --pause 1s/1s":             "shorter",
		"--resp a:1 --pause 1s/-1s":            "positive",
		"--resp a:1 --not-ready -1s":           "--not-ready",
		"--resp a:1 --spin x":                  "spin",
		"--resp a:1 --nosuch":                  "nosuch",
		"--resp a:1 --delay 1ms:0.6,2ms:0.400": "",
	} {
		_, err := parseOptions(strings.Fields(flags), io.Discard)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", flags, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: error %v, want it to name %q", flags, err, want)
		}
	}
}
