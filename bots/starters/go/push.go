var homes = [][2]int{{-4, 0}, {-4, 4}, {0, 4}, {4, 0}, {4, -4}, {0, -4}} // rows and slanted columns
var ways = [][2]int{{-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}}  // up-left, up-right, left, right, ...
var mine = [][]int{{3, 4, 5}, {2, 4, 5}, {0, 2, 4}, {0, 1, 2}, {0, 1, 3}, {1, 3, 5}}

func length(r, c int) int { return max(max(abs(r), abs(c)), abs(r+c)) }
func bonus(r, c, seat int) int { // what a coin is worth to you there
	steps := func(i int) int { return length(r-homes[i%6][0], c-homes[i%6][1]) }
	return max(0, lowest(5, func(i int) int { return steps(seat + 1 + i) })-steps(seat))
}

// Push. A slot and a direction: the push that adds most to your score in this turn.
func think(q []int) []int {
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
