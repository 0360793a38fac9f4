// Compiles each pattern of a file, one a line, and writes those that Go refuses.
package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	for _, pattern := range strings.Split(string(text), "\n") {
		if _, err := regexp.Compile(pattern); err != nil {
			fmt.Println(pattern, err)
		}
	}
}
