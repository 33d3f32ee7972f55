const walls = new Set(); // each wall is sent only once: remember it

// Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
function think(q) {
  const [own, wall, ...enemies] = q;
  walls.add(wall); // 4096, no wall, does no harm
  const around = (value) => (value + 64) % 64;
  const gap = (a, b) => Math.min(around(a - b), around(b - a)); // the shorter way round
  const row = (cell) => Math.floor(cell / 64);
  const room = (cell) => Math.min(...enemies.map((enemy) => gap(row(cell), row(enemy)) + gap(cell % 64, enemy % 64)));
  let [best, answer] = [room(own), 2];
  for (const [move, down, right] of [[0, -1, 0], [1, 0, -1], [3, 0, 1], [4, 1, 0]]) {
    const to = around(row(own) + down) * 64 + around((own % 64) + right);
    if (!walls.has(to) && room(to) > best) [best, answer] = [room(to), move]; // no room on an enemy's cell
  }
  return [answer];
}
