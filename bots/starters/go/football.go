// Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
func think(q []int) []int {
	turn, seat, p, k := q[0], q[1], q[2], q[3]
	home := []int{0, 31, 992, 1023}[seat]       // a cell is 32 * row + column
	own, balls := q[10+seat*p:][:p], q[10+4*p:] // where your players are; the number of balls on each cell
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
