# comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
def think(q):
    round_, ball, rows = q[2], q[3], q[4:30]
    if round_ % 200 == 0:                        # a quarter begins: spread them; each time four others rest
        return [man % 9 - 4 if (man + round_ // 50) % 26 < 22 else 100 for man in range(26)]
    away = [man for man in range(26) if abs(rows[man]) <= 4 and rows[man] != ball]
    if away:                                     # within a quarter one man may take one step: towards the ball
        man = min(away, key=lambda man: abs(rows[man] - ball))
        rows[man] += 1 if rows[man] < ball else -1
    return rows
