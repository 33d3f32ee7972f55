// A bot to begin with. It plays all four games, each in a function of its own: keep the one that you want and make it
// better. What the integers of a question and of an answer mean stands in the referee's protocol.md.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
)

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

// Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
func football(q []int) []int {
	turn, seat, p, k := q[0], q[1], q[2], q[3]
	home := []int{0, 31, 992, 1023}[seat]       // a cell is 32 * row + column
	own, balls := q[10+seat*p:][:p], q[10+4*p:] // where your players are; how many balls lie on each cell
	square := func(a, b int) int { return (a/32-b/32)*(a/32-b/32) + (a%32-b%32)*(a%32-b%32) }
	steps := func(a, b int) int { return max(abs(a/32-b/32), abs(a%32-b%32)) }
	for i, cell := range own {
		// Kick to the cell nearest home; out of range costs too much. Fetch the nearest ball; no ball costs too much.
		kick := func(to int) int { return square(to, home) + 4096*max(0, square(cell, to)-k*k) }
		fetch := func(to int) int { return square(to, home) + 2048*steps(cell, to) - 1<<20*min(1, balls[to]) }
		if turn == 0 { // spread them over the 16x16 cells around home
			own[i] = 32*abs(home/32-i*256/p/16) + abs(home%32-i*256/p%16)
		} else if balls[cell] > 0 {
			own[i] = 9 + cheapest(1024, kick)
		} else {
			ball := cheapest(1024, fetch)
			own[i] = 3*(sign(ball/32-cell/32)+1) + sign(ball%32-cell%32) + 1
		}
	}
	return own
}

// comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
func foosball(q []int) []int {
	round, ball, rows := q[2], q[3], q[4:30]
	for man := 0; man < 26 && round%200 == 0; man++ { // a quarter begins: spread them; each time four others rest
		rows[man] = []int{man%9 - 4, 100}[(man+round/50)%26/22]
	}
	man := cheapest(26, func(man int) int { return (abs(rows[man]-ball) + 199) % 200 })
	if round%200 > 0 && abs(rows[man]) <= 4 { // who is nearest to the ball but not there may take one step
		rows[man] += sign(ball - rows[man])
	}
	return rows
}

var homes = [][2]int{{-4, 0}, {-4, 4}, {0, 4}, {4, 0}, {4, -4}, {0, -4}} // rows and slanted columns
var ways = [][2]int{{-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}}  // up-left, up-right, left, right, ...
var mine = [][]int{{3, 4, 5}, {2, 4, 5}, {0, 2, 4}, {0, 1, 2}, {0, 1, 3}, {1, 3, 5}}

func length(r, c int) int { return max(max(abs(r), abs(c)), abs(r+c)) }
func bonus(r, c, seat int) int { // what a coin is worth to you there
	steps := func(i int) int { return length(r-homes[i%6][0], c-homes[i%6][1]) }
	return max(0, lowest(5, func(i int) int { return steps(seat + 1 + i) })-steps(seat))
}

// Push. A slot and a direction: the push that adds most to your score in this turn.
func push(q []int) []int {
	seat, coins, slot, best := q[2], q[3:64], 0, -1000
	answer := []int{0, mine[seat][0]} // if there is nothing to push, anything is accepted
	for r := -4; r <= 4; r++ {
		for c := max(-4, -4-r); c <= min(4, 4-r); c, slot = c+1, slot+1 {
			for _, way := range mine[seat] {
				toR, toC := r+ways[way][0], c+ways[way][1]
				gain := coins[slot] * (bonus(toR, toC, seat) - bonus(r, c, seat))
				if coins[slot] > 0 && length(toR, toC) <= 4 && gain > best {
					best, answer = gain, []int{slot, way}
				}
			}
		}
	}
	return answer
}

// Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
func target(q []int) []int {
	own, enemies := q[0], q[2:]
	walls[q[1]] = 1                                                    // 4096, no wall, does no harm
	gap := func(a, b int) int { return min((a-b+64)%64, (b-a+64)%64) } // the shorter way round
	distance := func(a, b int) int { return gap(a/64, b/64) + gap(a%64, b%64) }
	room := func(cell int) int { return lowest(len(enemies), func(i int) int { return distance(cell, enemies[i]) }) }
	moves := [][3]int{{2, 0, 0}, {0, -1, 0}, {1, 0, -1}, {3, 0, 1}, {4, 1, 0}} // if nothing is better, stay
	to := func(i int) int { return (own/64+moves[i][1]+64)%64*64 + (own%64+moves[i][2]+64)%64 }
	return []int{moves[cheapest(5, func(i int) int { return 99*walls[to(i)] - room(to(i)) })][0]}
}

var walls [4097]int // each wall is told once: remember it

func main() {
	games := map[string]func([]int) []int{"football": football, "foosball": foosball, "push": push, "target": target}
	game := os.Getenv("REFEREE_GAME")
	fmt.Fprintln(os.Stderr, "I play", game, "in seat", os.Getenv("REFEREE_SEAT")) // debug to standard error only
	read := bufio.NewReader(os.Stdin).ReadString
	line, err := read('\n') // one line is one question, until the game is over
	for number := 1; err == nil && games[game] != nil; number++ {
		var q []int // the line is a list but for the commas; its first integer only says how many follow
		json.Unmarshal([]byte("["+strings.Join(strings.Fields(line), ",")+"]"), &q)
		fmt.Printf("@%d %s\n", number, strings.Trim(fmt.Sprint(games[game](q[1:])), "[]")) // @ says which it answers
		line, err = read('\n')
	}
}
