// Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
func think(q []int) []int {
	own, enemies := q[0], q[2:]
	walls[q[1]] = 1                                                    // 4096, no wall, does no harm
	gap := func(a, b int) int { return min((a-b+64)%64, (b-a+64)%64) } // the shorter way round
	distance := func(a, b int) int { return gap(a/64, b/64) + gap(a%64, b%64) }
	room := func(cell int) int { return lowest(len(enemies), func(i int) int { return distance(cell, enemies[i]) }) }
	moves := [][3]int{{2, 0, 0}, {0, -1, 0}, {1, 0, -1}, {3, 0, 1}, {4, 1, 0}} // if nothing is better, stay
	to := func(i int) int { return (own/64+moves[i][1]+64)%64*64 + (own%64+moves[i][2]+64)%64 }
	return []int{moves[cheapest(5, func(i int) int { return 99*walls[to(i)] - room(to(i)) })][0]}
}

var walls [4097]int // each wall is sent only once: remember it
