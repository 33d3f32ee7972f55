// The torus of Invisible Target: walls, players and their moves, and the hidden cell on request.

class GameBoard extends Squares {
  constructor(tape) {
    super(tape, 64);
    this.title = 'Invisible Target';
    this.hasPlayers = false;
    this.options = [{ id: 'secrets', label: 'Show the hidden cell', on: false }, { id: 'ways', label: 'Moves', on: true }];
    this.legend = 'Full squares are walls, lines are recent moves. The edges are joined: a player who leaves on the right enters on the left.';
    this.target = tape.fact('target', null, null);
    this.players = tape.seats.map((_, seat) => tape.movers[seat].get(null));
    this.walls = tape.keys.map(({ thing, index }, fact) => ({ thing, index, fact })).filter(({ thing }) => thing === 'wall');
  }

  draw(ctx, view) {
    const { size, colours, part, values, options, happenings } = view;
    const cell = size / 64;
    this.drawGround(ctx, size, 4, colours);
    ctx.fillStyle = colours.wall;
    ctx.beginPath();
    for (const { index, fact } of this.walls) {
      if (!isThere(values[fact])) continue;
      ctx.rect((index % 64) * cell + 0.25, Math.floor(index / 64) * cell + 0.25, cell - 0.5, cell - 0.5);
    }
    ctx.fill();
    const wall = happenings.find(({ name }) => name === 'wall');
    if (wall && part > 0.5) {
      const [x, y] = this.centre(wall.to, cell);
      ctx.fillRect(x - cell / 2, y - cell / 2, cell, cell);
      ctx.strokeStyle = colours.mark;
      ctx.lineWidth = 2;
      ctx.globalAlpha = 2 - 2 * part;
      ctx.beginPath();
      ctx.arc(x, y, cell * (1 + 5 * (part - 0.5)), 0, 2 * Math.PI);
      ctx.stroke();
      ctx.globalAlpha = 1;
    }
    if (options.ways) this.drawWays(ctx, cell, view);
    if (options.secrets) this.drawTarget(ctx, cell, view);
    this.drawPlayers(ctx, cell, view);
  }

  drawWays(ctx, cell, view) {
    const { tape, turn, colours, pick } = view;
    const rounds = 24;
    const moves = tape.moves(Math.max(0, turn - rounds * tape.seats.length), turn);
    ctx.lineCap = 'round';
    for (const { turn: when, seat, from, to } of moves) {
      const [[x0, y0], [x1, y1]] = [this.centre(from, cell), this.centre(to, cell)];
      ctx.globalAlpha = 0.1 + 0.6 * (1 - (turn - when) / (rounds * tape.seats.length));
      ctx.strokeStyle = colours.seat(seat);
      ctx.lineWidth = pick?.seat === seat ? cell * 0.5 : Math.max(1.2, cell * 0.24);
      ctx.beginPath();
      const [dx, dy] = [wrapped(x1 - x0, 64 * cell), wrapped(y1 - y0, 64 * cell)];
      ctx.moveTo(x0, y0);
      ctx.lineTo(x0 + dx, y0 + dy);
      ctx.moveTo(x1 - dx, y1 - dy);
      ctx.lineTo(x1, y1);
      ctx.stroke();
    }
    ctx.lineCap = 'butt';
    ctx.globalAlpha = 1;
  }

  drawTarget(ctx, cell, view) {
    const { values, colours } = view;
    if (this.target === undefined || !isThere(values[this.target])) return;
    const [x, y] = this.centre(values[this.target], cell);
    ctx.strokeStyle = colours.bad;
    for (const [radius, width] of [[0.8, 2.5], [1.7, 2], [2.8, 1.5]]) {
      ctx.lineWidth = width;
      ctx.beginPath();
      ctx.arc(x, y, Math.max(cell, 6) * radius, 0, 2 * Math.PI);
      ctx.stroke();
    }
    cross(ctx, x, y, Math.max(cell, 6) * 0.5, colours.bad, 2.5);
  }

  drawPlayers(ctx, cell, view) {
    const { values, next, part, colours, pick, tape, turn } = view;
    const radius = Math.max(cell * 0.62, 4);
    const way = ease(part);
    const asked = tape.replies(turn)[0]?.seat;
    const side = 64 * cell;
    this.players.forEach((fact, seat) => {
      if (fact === undefined || !isThere(values[fact])) return;
      const [x0, y0] = this.centre(values[fact], cell);
      const [x1, y1] = this.centre(isThere(next[fact]) ? next[fact] : values[fact], cell);
      const x = (x0 + wrapped(x1 - x0, side) * way + side) % side;
      const y = (y0 + wrapped(y1 - y0, side) * way + side) % side;
      const marked = pick?.seat === seat;
      if (seat === asked || marked) {
        ctx.beginPath();
        ctx.arc(x, y, radius * 1.9, 0, 2 * Math.PI);
        ctx.strokeStyle = marked ? colours.accent : colours.seat(seat);
        ctx.lineWidth = marked ? 3 : 1.5;
        ctx.stroke();
      }
      ctx.beginPath();
      traceShape(ctx, shapeOf(seat, tape.seats.length), x, y, radius);
      ctx.fillStyle = colours.seat(seat);
      ctx.fill();
      ctx.strokeStyle = colours.card;
      ctx.lineWidth = 1.2;
      ctx.stroke();
      if (cell >= 8) write(ctx, seat, x + radius * 1.7, y - radius * 1.2, Math.max(10, cell), colours.ink, 700, colours.field);
    });
  }

  /** The number of steps from each seat to the hidden cell: walls do not count. */
  steps(values) {
    const apart = (one, other) => Math.abs(wrapped(one - other, 64));
    const [row, column] = [Math.floor(values[this.target] / 64), values[this.target] % 64];
    return this.players.map((fact) => apart(Math.floor(values[fact] / 64), row) + apart(values[fact] % 64, column));
  }

  drawFrame(ctx, view, place, isCursor) {
    this.frame(ctx, place, view.size / 64, view.colours, isCursor);
  }

  whoIsAt(values, place) {
    return this.players.map((fact, seat) => ({ seat, index: null, place: values[fact] })).filter((player) => player.place === place);
  }

  /** The player on a cell or beside it: cells are small. */
  whoIsNear(values, place) {
    const [row, column] = [Math.floor(place / 64), place % 64];
    const near = (player) => Math.max(Math.abs(wrapped(Math.floor(player.place / 64) - row, 64)), Math.abs(wrapped((player.place % 64) - column, 64)));
    const all = this.players.map((fact, seat) => ({ seat, index: null, place: values[fact] })).filter((player) => isThere(player.place) && near(player) <= 1);
    return all.sort((one, other) => near(one) - near(other));
  }

  tell(values, place) {
    const wall = this.walls.find(({ index }) => index === place);
    const players = this.whoIsAt(values, place).map(({ seat }) => `seat ${seat}`);
    const what = wall && isThere(values[wall.fact]) ? 'a wall' : players.length ? players.join(', ') : 'empty';
    return `${this.where(place)}: ${what}`;
  }
}

/** The shorter way round. */
function wrapped(difference, side) {
  return difference > side / 2 ? difference - side : difference < -side / 2 ? difference + side : difference;
}
