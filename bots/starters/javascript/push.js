const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);

// Push. A slot and a direction: the push that adds most to your score in this turn.
function think(q) {
  const [seat, coins] = [q[2], q.slice(3, 64)];
  const ways = [[-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0]]; // up-left, up-right, left, right, down-left, ...
  const homes = [[-4, 0], [-4, 4], [0, 4], [4, 0], [4, -4], [0, -4]]; // rows and slanted columns
  const mine = [[3, 4, 5], [2, 4, 5], [0, 2, 4], [0, 1, 2], [0, 1, 3], [1, 3, 5]][seat];
  const length = (r, c) => Math.max(Math.abs(r), Math.abs(c), Math.abs(r + c));
  const bonus = (r, c) => { // what a coin is worth to you there
    const gaps = homes.map((home) => length(r - home[0], c - home[1]));
    return Math.max(0, Math.min(...gaps.filter((_, other) => other !== seat)) - gaps[seat]);
  };
  let [best, answer, slot] = [-1000, [0, mine[0]], 0]; // if there is nothing to push, anything is accepted
  for (const r of range(-4, 5)) {
    for (const c of range(Math.max(-4, -4 - r), Math.min(4, 4 - r) + 1)) {
      for (const way of mine) {
        const to = [r + ways[way][0], c + ways[way][1]];
        const gain = coins[slot] * (bonus(...to) - bonus(r, c));
        if (coins[slot] > 0 && length(...to) <= 4 && gain > best) [best, answer] = [gain, [slot, way]];
      }
      slot += 1;
    }
  }
  return answer;
}
