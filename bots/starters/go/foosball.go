// comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
func think(q []int) []int {
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
