package main

import (
	"strconv"
	"strings"
	"time"
)

// newsBytes is the size of what everybody is told: about that of a database's change of one row.
const newsBytes = 200

var newsRest = `,"row":"` + strings.Repeat("x", newsBytes) + `"}`

// tell notes a message for all that follow: {"push":<epoch µs>,…}.
func (e *env) tell() {
	body := strconv.AppendInt([]byte(`{"push":`), time.Now().UnixMicro(), 10)
	e.news = appendFrame(e.news, opText, len(body)+len(newsRest))
	e.news = append(append(e.news, body...), newsRest...)
}
