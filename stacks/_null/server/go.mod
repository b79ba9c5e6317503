module ladderbench/null

go 1.26
