// Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
function think(q) {
  const [turn, seat, p, k] = q;
  const home = [0, 31, 992, 1023][seat]; // a cell is 32 * row + column
  const own = q.slice(10 + seat * p, 10 + seat * p + p); // where your players are
  const balls = q.slice(10 + 4 * p); // the number of balls on each cell
  const row = (cell) => Math.floor(cell / 32);
  const square = (a, b) => (row(a) - row(b)) ** 2 + ((a % 32) - (b % 32)) ** 2;
  const steps = (a, b) => Math.max(Math.abs(row(a) - row(b)), Math.abs((a % 32) - (b % 32)));
  return own.map((cell, i) => {
    if (turn === 0) { // spread them over the 16x16 cells around home
      const place = Math.floor((i * 256) / p);
      return 32 * Math.abs(row(home) - Math.floor(place / 16)) + Math.abs((home % 32) - (place % 16));
    }
    // With a ball: of all cells in range the one nearest to home. Without: the nearest ball, among equals homeward.
    let best = cell, least = Infinity;
    for (let to = 0; to < 1024; to++) {
      const fits = balls[cell] ? square(cell, to) <= k * k : balls[to] > 0;
      const cost = square(to, home) + (balls[cell] ? 0 : 2048 * steps(cell, to));
      if (fits && cost < least) [least, best] = [cost, to];
    }
    if (balls[cell]) return 9 + best;
    return 3 * (Math.sign(row(best) - row(cell)) + 1) + Math.sign((best % 32) - (cell % 32)) + 1;
  });
}
