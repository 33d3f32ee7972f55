// The field of Parallel Football: balls, players, kicks, goals.

class GameBoard extends Squares {
  constructor(tape) {
    super(tape, 32);
    this.title = 'Parallel Football';
    this.hasPlayers = true;
    this.homes = tape.board.filter(([thing]) => thing === 'home').map(([, seat, cell]) => ({ seat, cell }));
    this.balls = tape.places.get('balls') ?? new Map();
    this.players = tape.seats.map((_, seat) => [...tape.movers[seat]].map(([index, fact]) => ({ index, fact })));
    this.options = [{ id: 'numbers', label: 'Numbers', on: true }, { id: 'kicks', label: 'Kicks ahead', on: true }];
    this.legend = 'A dot is a ball; a darker cell with a number has several. A number on a player counts the players of its team there. Arcs are kicks.';
  }

  /** What a frame needs of a turn, made once. */
  prepare(view) {
    if (this.ready?.turn === view.turn && this.ready.values === view.values) return this.ready;
    const { values, next, happenings } = view;
    const masks = [values, next].map((position) => this.masks(position));
    const groups = new Map();
    this.players.forEach((players, seat) => {
      for (const { fact } of players) {
        const from = values[fact];
        const to = isThere(next[fact]) ? next[fact] : from;
        const start = isThere(from) ? from : to;
        if (!isThere(start)) continue;
        const key = (seat * 1024 + start) * 1024 + to;
        const group = groups.get(key);
        if (group) group.count++;
        else groups.set(key, { seat, from: start, to, count: 1, isNew: !isThere(from) });
      }
    });
    const leaving = new Map();
    // Equal kicks are one line: a browser draws hundreds of them slowly, and only one is visible.
    const kicks = new Map();
    for (const kick of happenings) {
      if (kick.name !== 'kick') continue;
      if (kick.completion === 'done') leaving.set(kick.from, (leaving.get(kick.from) ?? 0) + 1);
      kicks.set(`${kick.seat} ${kick.completion} ${kick.from} ${kick.to}`, kick);
    }
    const goals = new Map();
    for (const { name, seat } of happenings) if (name === 'goal') goals.set(seat, (goals.get(seat) ?? 0) + 1);
    this.ready = { turn: view.turn, values, masks, groups: [...groups.values()], kicks: [...kicks.values()], leaving, goals };
    return this.ready;
  }

  /** Which seats have players on each cell. */
  masks(values) {
    const masks = new Uint8Array(this.places);
    this.players.forEach((players, seat) => {
      for (const { fact } of players) if (isThere(values[fact])) masks[values[fact]] |= 1 << seat;
    });
    return masks;
  }

  draw(ctx, view) {
    const { size, colours, part, values } = view;
    const cell = size / 32;
    const ready = this.prepare(view);
    this.drawField(ctx, size, cell, colours);
    this.drawBalls(ctx, cell, values, ready, view);
    this.drawPath(ctx, cell, view);
    if (part === 0 && view.options.kicks) this.drawKicksAhead(ctx, cell, ready.kicks, colours);
    this.drawPlayers(ctx, cell, ready, view);
    if (part > 0) {
      this.drawFlight(ctx, cell, ready.kicks.filter(({ completion }) => completion === 'done'), colours, part);
      this.drawGoals(ctx, cell, ready.goals, colours, part);
    }
  }

  drawField(ctx, size, cell, colours) {
    this.drawGround(ctx, size, 1, colours);
    for (const { seat, cell: home } of this.homes) {
      const [x, y] = this.centre(home, cell);
      const reach = 3.5 * cell;
      const glow = ctx.createRadialGradient(x, y, 0, x, y, reach);
      glow.addColorStop(0, colours.seat(seat));
      glow.addColorStop(1, 'transparent');
      ctx.globalAlpha = 0.3;
      ctx.fillStyle = glow;
      ctx.fillRect(x - reach, y - reach, 2 * reach, 2 * reach);
      ctx.globalAlpha = 1;
      ctx.fillStyle = colours.seat(seat);
      ctx.fillRect(x - cell / 2, y - cell / 2, cell, cell);
      ctx.beginPath();
      traceShape(ctx, shapeOf(seat, 4), x, y, cell * 0.26);
      ctx.fillStyle = colours.card;
      ctx.fill();
    }
  }

  drawBalls(ctx, cell, values, ready, view) {
    const { colours, part } = view;
    const singles = [];
    const piles = [];
    for (const [place, fact] of this.balls) {
      let count = isThere(values[fact]) ? values[fact] : 0;
      if (part > 0) count -= ready.leaving.get(place) ?? 0;
      if (count === 1) singles.push(place);
      else if (count > 1) piles.push([place, count]);
    }
    ctx.fillStyle = colours.coin;
    for (const [place, count] of piles) {
      ctx.globalAlpha = Math.min(1, 0.22 + 0.14 * Math.log2(count));
      ctx.fillRect((place % 32) * cell + 0.5, Math.floor(place / 32) * cell + 0.5, cell - 1, cell - 1);
    }
    ctx.fillStyle = colours.ball;
    ctx.globalAlpha = 0.8;
    ctx.beginPath();
    for (const place of singles) {
      const [x, y] = this.centre(place, cell);
      ctx.moveTo(x + cell * 0.12, y);
      ctx.arc(x, y, cell * 0.12, 0, 2 * Math.PI);
    }
    ctx.fill();
    ctx.globalAlpha = 1;
    if (!view.options.numbers || cell < 10) return;
    for (const [place, count] of piles) {
      if (ready.masks[0][place] !== 0 && cell < 20) continue;
      const [x, y] = this.centre(place, cell);
      const occupied = ready.masks[0][place] !== 0;
      const strong = count > 30;
      write(ctx, count, occupied ? x + cell * 0.3 : x, occupied ? y + cell * 0.33 : y, Math.min(cell * (occupied ? 0.3 : 0.46), 15), strong ? colours.coinInk : colours.ink);
    }
  }

  /** Alone on a cell a team stands in its middle; with others each has a corner. */
  seatPlace(seat, place, mask, cell) {
    const [x, y] = this.centre(place, cell);
    if ((mask[place] & (mask[place] - 1)) === 0) return [x, y, cell * 0.31];
    return [x + (seat % 2 ? 0.24 : -0.24) * cell, y + (seat > 1 ? 0.24 : -0.24) * cell, cell * 0.2];
  }

  drawPlayers(ctx, cell, ready, view) {
    const { colours, part, options } = view;
    const way = ease(part);
    const labels = [];
    for (let seat = 0; seat < 4; seat++) {
      ctx.beginPath();
      for (const group of ready.groups) {
        if (group.seat !== seat || (group.isNew && part === 0)) continue;
        const [x0, y0, r0] = this.seatPlace(seat, group.from, ready.masks[group.isNew ? 1 : 0], cell);
        const [x1, y1, r1] = this.seatPlace(seat, group.to, ready.masks[1], cell);
        const [x, y] = [mix(x0, x1, way), mix(y0, y1, way)];
        const radius = mix(r0, r1, way) * Math.min(1.25, 1 + 0.05 * Math.log2(group.count));
        traceShape(ctx, shapeOf(seat, 4), x, y, Math.max(radius, 2.5));
        if (group.count > 1) labels.push([x, y, radius, group.count, seat, part === 0 ? group.from : -1]);
      }
      ctx.fillStyle = colours.seat(seat);
      ctx.strokeStyle = colours.card;
      ctx.lineWidth = Math.max(1, cell * 0.06);
      ctx.fill();
      ctx.stroke();
    }
    if (!options.numbers || cell < 16) return;
    // Groups that leave a cell in different directions share one number until they leave.
    const together = new Map();
    for (const [x, y, radius, count, seat, place] of labels) {
      const key = place < 0 ? together.size + 100000 : place * 4 + seat;
      const label = together.get(key);
      if (label) label.count += count;
      else together.set(key, { x, y, radius, count });
    }
    for (const { x, y, radius, count } of together.values()) if (radius > 4) write(ctx, count, x, y + radius * 0.06, Math.max(radius * 1.1, 7), colours.card, 750);
  }

  kickPath(kick, cell) {
    const [x0, y0] = this.centre(kick.from, cell);
    const [x1, y1] = this.centre(kick.to, cell);
    const lift = 0.16 * Math.hypot(x1 - x0, y1 - y0);
    return (part) => {
      const rise = 4 * part * (1 - part) * lift;
      return [mix(x0, x1, part), mix(y0, y1, part) - rise];
    };
  }

  drawKicksAhead(ctx, cell, kicks, colours) {
    ctx.globalAlpha = kicks.length > 200 ? 0.2 : 0.5;
    for (let seat = 0; seat < 4; seat++) {
      for (const completion of ['done', 'lost']) {
        ctx.beginPath();
        for (const kick of kicks) {
          if (kick.seat !== seat || kick.completion !== completion) continue;
          const path = this.kickPath(kick, cell);
          ctx.moveTo(...path(0));
          for (let step = 1; step <= 10; step++) ctx.lineTo(...path(step / 10));
        }
        ctx.strokeStyle = colours.seat(seat);
        ctx.lineWidth = Math.max(1, cell * 0.06);
        ctx.setLineDash(completion === 'lost' ? [3, 4] : []);
        ctx.stroke();
      }
    }
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
  }

  drawFlight(ctx, cell, kicks, colours, part) {
    const paths = kicks.map((kick) => ({ seat: kick.seat, path: this.kickPath(kick, cell) }));
    // Among hundreds of trails the shades cannot be seen, and they take most of the time.
    const STEPS = kicks.length > 200 ? 1 : 4;
    for (let seat = 0; seat < 4; seat++) {
      const own = paths.filter((path) => path.seat === seat);
      ctx.strokeStyle = colours.seat(seat);
      for (let step = 0; step < STEPS; step++) {
        const [start, end] = [part - 0.3 + (0.3 * step) / STEPS, part - 0.3 + (0.3 * (step + 1)) / STEPS].map((at) => Math.max(0, at));
        if (end <= start) continue;
        ctx.globalAlpha = 0.15 + (0.7 * (step + 1)) / STEPS;
        ctx.lineWidth = Math.max(1, cell * (0.05 + 0.035 * step));
        ctx.beginPath();
        for (const { path } of own) {
          ctx.moveTo(...path(start));
          ctx.lineTo(...path(end));
        }
        ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
    ctx.beginPath();
    for (const { path } of paths) {
      const [x, y] = path(part);
      ctx.moveTo(x + cell * 0.16, y);
      ctx.arc(x, y, cell * 0.16, 0, 2 * Math.PI);
    }
    ctx.fillStyle = colours.coin;
    ctx.strokeStyle = colours.coinInk;
    ctx.lineWidth = 1;
    ctx.fill();
    ctx.stroke();
  }

  drawGoals(ctx, cell, goals, colours, part) {
    if (part < 0.7) return;
    const since = (part - 0.7) / 0.3;
    for (const { seat, cell: home } of this.homes) {
      const count = goals.get(seat);
      if (!count) continue;
      const [x, y] = this.centre(home, cell);
      ctx.globalAlpha = 1 - since;
      ctx.strokeStyle = colours.seat(seat);
      ctx.lineWidth = cell * 0.2;
      ctx.beginPath();
      ctx.arc(x, y, cell * (0.6 + 1.6 * since), 0, 2 * Math.PI);
      ctx.stroke();
      ctx.globalAlpha = 1;
      const inward = (at) => (at < cell ? 2.1 : at > 31 * cell ? -2.1 : 0) * cell;
      write(ctx, `+${count}`, x + inward(x), y + inward(y) * 0.6, Math.max(cell * 0.8, 11), colours.seat(seat), 800);
    }
  }

  /** Where the chosen player has been lately, and how far a kick goes. */
  drawPath(ctx, cell, view) {
    const { pick, colours, tape, turn, values } = view;
    if (pick?.seat === undefined || pick.index === null || pick.index === undefined) return;
    const fact = tape.movers[pick.seat].get(pick.index);
    if (fact === undefined || !isThere(values[fact])) return;
    ctx.strokeStyle = colours.seat(pick.seat);
    ctx.lineWidth = Math.max(1.5, cell * 0.1);
    ctx.globalAlpha = 0.6;
    ctx.beginPath();
    tape.wayOf(fact, turn, 40).forEach((place, index) => ctx[index ? 'lineTo' : 'moveTo'](...this.centre(place, cell)));
    ctx.stroke();
    ctx.globalAlpha = 1;
    const [x, y] = this.centre(values[fact], cell);
    ctx.beginPath();
    ctx.arc(x, y, cell * 0.85, 0, 2 * Math.PI);
    ctx.strokeStyle = colours.accent;
    ctx.lineWidth = 2;
    ctx.stroke();
    const range = Number(new Map(tape.parameters).get('k'));
    if (range > 0) {
      ctx.setLineDash([4, 5]);
      ctx.globalAlpha = 0.5;
      ctx.beginPath();
      ctx.arc(x, y, (range + 0.5) * cell, 0, 2 * Math.PI);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.globalAlpha = 1;
    }
  }

  drawFrame(ctx, view, place, isCursor) {
    this.frame(ctx, place, view.size / 32, view.colours, isCursor);
  }

  /** Who stands on a cell. */
  whoIsAt(values, place) {
    return this.players.flatMap((players, seat) =>
      players.filter(({ fact }) => values[fact] === place).map(({ index }) => ({ seat, index })));
  }

  tell(values, place) {
    const fact = this.balls.get(place);
    const balls = fact !== undefined && isThere(values[fact]) ? values[fact] : 0;
    const home = this.homes.find(({ cell }) => cell === place);
    const who = this.tape.seats.map((_, seat) => [seat, this.whoIsAt(values, place).filter((one) => one.seat === seat)]);
    const teams = who.filter(([, players]) => players.length > 0).map(([seat, players]) =>
      `${players.length === 1 ? 'player' : 'players'} ${players.map(({ index }) => index).join(', ')} of seat ${seat}`);
    return [`${this.where(place)}: ${home ? `home of seat ${home.seat}` : plural(balls, 'ball')}`, ...teams].join('; ');
  }
}
