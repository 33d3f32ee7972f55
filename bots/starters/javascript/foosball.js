// comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
function think(q) {
  const [round, ball, rows] = [q[2], q[3], q.slice(4, 30)];
  if (round % 200 === 0) { // a quarter begins: spread them; each time four others rest
    return rows.map((_, man) => ((man + round / 50) % 26 < 22 ? (man % 9) - 4 : 100));
  }
  // Within a quarter one man may take one step: towards the ball.
  let nearest = -1;
  rows.forEach((row, man) => {
    const away = Math.abs(row) <= 4 && row !== ball;
    if (away && (nearest < 0 || Math.abs(row - ball) < Math.abs(rows[nearest] - ball))) nearest = man;
  });
  if (nearest >= 0) rows[nearest] += Math.sign(ball - rows[nearest]);
  return rows;
}
