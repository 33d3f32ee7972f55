// A bot to begin with. It plays all four games, each in a function of its own: keep the one that you want and make it
// better. What the integers of a question and of an answer mean stands in the referee's protocol.md.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func abs(a int) int { return max(a, -a) }

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func min(a, b int) int { return -max(-a, -b) }

func sign(a int) int { return max(-1, min(1, a)) }

// Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
func football(q []int) (answer []int) {
	turn, seat, p, k := q[0], q[1], q[2], q[3]
	home := []int{0, 31, 992, 1023}[seat] // a cell is 32 * row + column
	own := q[10+seat*p:][:p]              // where your players are
	balls := q[10+4*p:]                   // how many balls lie on each cell
	square := func(a, b int) int { return (a/32-b/32)*(a/32-b/32) + (a%32-b%32)*(a%32-b%32) }
	steps := func(a, b int) int { return max(abs(a/32-b/32), abs(a%32-b%32)) }
	for i, cell := range own {
		if turn == 0 { // spread them over the 16x16 cells around home
			place := i * 256 / p
			answer = append(answer, 32*abs(home/32-place/16)+abs(home%32-place%16))
			continue
		}
		kicks, best, least := balls[cell] > 0, cell, 1<<30
		for to := 0; to < 1024; to++ { // of all cells in range the one nearest to home, or the nearest ball
			fits, cost := balls[to] > 0, 2048*steps(cell, to)+square(to, home)
			if kicks {
				fits, cost = square(cell, to) <= k*k, square(to, home)
			}
			if fits && cost < least {
				least, best = cost, to
			}
		}
		order := 3*(sign(best/32-cell/32)+1) + sign(best%32-cell%32) + 1
		if kicks {
			order = 9 + best
		}
		answer = append(answer, order)
	}
	return answer
}

// comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
func foosball(q []int) []int {
	round, ball, rows, nearest := q[2], q[3], q[4:30], -1
	for man, row := range rows {
		if round%200 == 0 { // a quarter begins: spread them; each time four others rest
			rows[man] = man%9 - 4
			if (man+round/50)%26 >= 22 {
				rows[man] = 100
			}
		} else if abs(row) <= 4 && row != ball && (nearest < 0 || abs(row-ball) < abs(rows[nearest]-ball)) {
			nearest = man
		}
	}
	if nearest >= 0 { // within a quarter one man may take one step: towards the ball
		rows[nearest] += sign(ball - rows[nearest])
	}
	return rows
}

var homes = [][2]int{{-4, 0}, {-4, 4}, {0, 4}, {4, 0}, {4, -4}, {0, -4}} // rows and slanted columns
var ways = [][2]int{{-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}}  // up-left, up-right, left, right, down-left, ...
var mine = [][]int{{3, 4, 5}, {2, 4, 5}, {0, 2, 4}, {0, 1, 2}, {0, 1, 3}, {1, 3, 5}}

func length(r, c int) int { return max(max(abs(r), abs(c)), abs(r+c)) }

// What a coin is worth to you there.
func bonus(r, c, seat int) int {
	other := 99
	for i, home := range homes {
		if i != seat {
			other = min(other, length(r-home[0], c-home[1]))
		}
	}
	return max(0, other-length(r-homes[seat][0], c-homes[seat][1]))
}

// Push. A slot and a direction: the push that adds most to your score in this turn.
func push(q []int) []int {
	seat, coins, best, slot := q[2], q[3:64], -1000, 0
	answer := []int{0, mine[seat][0]} // if there is nothing to push, anything is accepted
	for r := -4; r <= 4; r++ {
		for c := max(-4, -4-r); c <= min(4, 4-r); c++ {
			for _, way := range mine[seat] {
				toR, toC := r+ways[way][0], c+ways[way][1]
				gain := coins[slot] * (bonus(toR, toC, seat) - bonus(r, c, seat))
				if coins[slot] > 0 && length(toR, toC) <= 4 && gain > best {
					best, answer = gain, []int{slot, way}
				}
			}
			slot++
		}
	}
	return answer
}

var walls [4097]bool // each wall is told once: remember it

// Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
func target(q []int) []int {
	own, enemies, move := q[0], q[2:], 2
	walls[q[1]] = true                                                 // 4096, no wall, does no harm
	gap := func(a, b int) int { return min((a-b+64)%64, (b-a+64)%64) } // the shorter way round
	room := func(cell int) int {
		least := 99
		for _, enemy := range enemies {
			least = min(least, gap(cell/64, enemy/64)+gap(cell%64, enemy%64))
		}
		return least
	}
	best := room(own)
	for i, step := range [][2]int{{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}} {
		to := (own/64+step[0]+64)%64*64 + (own%64+step[1]+64)%64
		if !walls[to] && room(to) > best { // where an enemy stands there is no room at all
			best, move = room(to), i
		}
	}
	return []int{move}
}

func main() {
	game := os.Getenv("REFEREE_GAME")
	games := map[string]func([]int) []int{"football": football, "foosball": foosball, "push": push, "target": target}
	think, known := games[game]
	fmt.Fprintln(os.Stderr, "I play", game, "in seat", os.Getenv("REFEREE_SEAT")) // debug to standard error only
	if !known {
		os.Exit(2)
	}
	input := bufio.NewReader(os.Stdin)
	for number := 1; ; number++ {
		line, err := input.ReadString('\n') // one line is one question, until the game is over
		if err != nil {
			return
		}
		var question []int
		for _, word := range strings.Fields(line)[1:] { // the first integer only says how many follow
			value, _ := strconv.Atoi(word)
			question = append(question, value)
		}
		answer := fmt.Sprint("@", number) // the tag says which question this answers
		for _, value := range think(question) {
			answer += " " + strconv.Itoa(value)
		}
		os.Stdout.WriteString(answer + "\n") // at once: os.Stdout gathers nothing
	}
}
