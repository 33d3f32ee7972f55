// A starter bot: it reads a question, one line, and writes an answer, one line. The function think plays: make it
// better. The referee's protocol.md says what the integers mean.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
)

// The game's function goes here.

func main() {
	// Debug to standard error only.
	fmt.Fprintln(os.Stderr, "I play", os.Getenv("REFEREE_GAME"), "in seat", os.Getenv("REFEREE_SEAT"))
	read := bufio.NewReader(os.Stdin).ReadString
	line, err := read('\n') // one line is one question, until the game is over
	for number := 1; err == nil; number++ {
		var q []int // the line is a list but for the commas; its first integer only says how many follow
		json.Unmarshal([]byte("["+strings.Join(strings.Fields(line), ",")+"]"), &q)
		fmt.Printf("@%d %s\n", number, strings.Trim(fmt.Sprint(think(q[1:])), "[]")) // @ says which it answers
		line, err = read('\n')
	}
}

func max(a, b int) int { return int(math.Max(float64(a), float64(b))) }
func min(a, b int) int { return -max(-a, -b) }
func abs(a int) int    { return max(a, -a) }
func sign(a int) int   { return max(-1, min(1, a)) }

// The first of the numbers from 0 to n - 1 that cost least.
func cheapest(n int, cost func(int) int) (best int) {
	for i := 1; i < n; i++ {
		if cost(i) < cost(best) {
			best = i
		}
	}
	return best
}
func lowest(n int, cost func(int) int) int { return cost(cheapest(n, cost)) }
