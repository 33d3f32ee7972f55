// The table of comFoosball: nine rows between two goals, men and their fatigue, the ball and its way.

class GameBoard {
  constructor(tape) {
    this.tape = tape;
    this.title = 'comFoosball';
    this.aspect = 0.72;
    this.placeName = 'row';
    this.lowest = -4;
    this.places = 9;
    this.hasPlayers = true;
    this.options = [{ id: 'fatigue', label: 'Fatigue as numbers', on: true }];
    this.legend = 'Seat 0 attacks to the right, seat 1 to the left. Tired men are paler; the number on a man is his fatigue. The path of the ball is below the table.';
    this.ball = tape.fact('ball', null, null);
    this.men = tape.seats.map((_, seat) =>
      Array.from({ length: 26 }, (_, man) => ({ man, row: tape.fact('row', seat, man), fatigue: tape.fact('fatigue', seat, man) })));
  }

  /** Left edge, width of a row, height of the table. */
  geometry(size) {
    const width = size / 11;
    return { width, height: size * 0.5, x: (row) => (row + 5.5) * width };
  }

  placeAt(x, y) {
    const row = Math.floor(x * 11) - 5;
    return row >= -4 && row <= 4 && y <= 0.52 ? row : null;
  }

  step(place, columns) {
    return Math.min(4, Math.max(-4, place + columns));
  }

  draw(ctx, view) {
    const { size, colours, values, part, happenings } = view;
    const { width, height, x } = this.geometry(size);
    ctx.fillStyle = colours.card;
    ctx.fillRect(0, 0, size, size * this.aspect);
    ctx.fillStyle = colours.field;
    ctx.fillRect(width, 0, 9 * width, height);
    const contest = happenings.find(({ name }) => name === 'contest');
    const here = values[this.ball];
    ctx.globalAlpha = 0.25;
    ctx.fillStyle = colours.coin;
    ctx.fillRect(x(here) - width / 2, 0, width, height);
    ctx.globalAlpha = 1;
    for (let row = -4; row <= 4; row++) {
      ctx.strokeStyle = colours.grid;
      ctx.lineWidth = 3;
      ctx.beginPath();
      ctx.moveTo(x(row), 0);
      ctx.lineTo(x(row), height);
      ctx.stroke();
      write(ctx, row, x(row), height + width * 0.16, Math.max(9, Math.min(13, width * 0.17)), colours.soft, 500);
    }
    for (const [seat, row] of [[0, -5], [1, 5]]) {
      ctx.fillStyle = colours.seat(seat);
      ctx.fillRect(row < 0 ? width * 0.82 : 10 * width, height * 0.3, width * 0.18, height * 0.4);
      write(ctx, isThere(values[this.tape.scoreFacts[seat]]) ? values[this.tape.scoreFacts[seat]] : 0, row < 0 ? width * 0.42 : size - width * 0.42, height / 2, width * 0.5, colours.seat(seat), 800);
    }
    this.drawMen(ctx, view);
    const to = contest ? contest.to : here;
    const rolled = ease(Math.min(1, part * 1.25));
    const ballX = mix(x(here), x(part > 0 ? to : here), rolled);
    ctx.beginPath();
    ctx.arc(ballX, height / 2, Math.max(5, width * 0.13), 0, 2 * Math.PI);
    ctx.fillStyle = colours.coin;
    ctx.fill();
    ctx.strokeStyle = colours.coinInk;
    ctx.lineWidth = 2;
    ctx.stroke();
    if (Math.abs(to) > 4 && part > 0.75) write(ctx, 'GOAL', x(0), height / 2, width * 0.9, colours.seat(to > 0 ? 0 : 1), 850);
    this.drawBench(ctx, view);
    this.drawMomentum(ctx, view);
  }

  /** The men of a team on each row. */
  rows(values, seat) {
    const rows = new Map();
    for (const man of this.men[seat]) {
      const row = values[man.row];
      if (man.row === undefined || !isThere(row)) continue;
      if (!rows.has(row)) rows.set(row, []);
      rows.get(row).push(man);
    }
    return rows;
  }

  placesOf(values, seat, geometry) {
    const places = new Map();
    const { width, height, x } = geometry;
    for (const [row, men] of this.rows(values, seat)) {
      men.forEach((man, index) => {
        const apart = Math.min(height / (men.length + 1), height * 0.15);
        places.set(man.man, [x(row) + (seat === 0 ? -0.27 : 0.27) * width, height / 2 + (index - (men.length - 1) / 2) * apart, Math.min(width * 0.18, apart * 0.46)]);
      });
    }
    return places;
  }

  drawMen(ctx, view) {
    const { values, next, part, colours } = view;
    const geometry = this.geometry(view.size);
    const way = ease(part);
    for (const seat of [0, 1]) {
      const [before, after] = [this.placesOf(values, seat, geometry), this.placesOf(next, seat, geometry)];
      for (const man of this.men[seat]) {
        const start = before.get(man.man) ?? (part > 0 ? after.get(man.man) : undefined);
        if (!start) continue;
        const end = after.get(man.man) ?? start;
        const [x, y, radius] = start.map((value, index) => mix(value, end[index], way));
        this.drawMan(ctx, view, seat, man, x, y, radius);
      }
    }
  }

  drawMan(ctx, view, seat, man, x, y, radius) {
    const { values, colours, options, pick } = view;
    const fatigue = isThere(values[man.fatigue]) ? values[man.fatigue] : 0;
    ctx.beginPath();
    traceShape(ctx, shapeOf(seat, 2), x, y, radius);
    ctx.fillStyle = colours.card;
    ctx.fill();
    ctx.globalAlpha = Math.max(0.18, 0.99 ** fatigue);
    ctx.fillStyle = colours.seat(seat);
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.seat(seat);
    ctx.lineWidth = 1.5;
    ctx.stroke();
    if (pick?.seat === seat && pick.index === man.man) {
      ctx.beginPath();
      ctx.arc(x, y, radius * 1.5, 0, 2 * Math.PI);
      ctx.strokeStyle = colours.accent;
      ctx.lineWidth = 3;
      ctx.stroke();
    }
    if (radius > 7 && options.fatigue) {
      write(ctx, fatigue, x, y, radius * (fatigue > 99 ? 0.75 : 0.95), 0.99 ** fatigue > 0.55 ? colours.card : colours.ink, 700);
    }
  }

  drawBench(ctx, view) {
    const { size, values, colours } = view;
    const { width, height } = this.geometry(size);
    const y = height + width * 0.55;
    for (const seat of [0, 1]) {
      const benched = this.men[seat].filter((man) => man.row === undefined || !isThere(values[man.row]));
      const start = seat === 0 ? width : size / 2 + width * 0.2;
      write(ctx, 'Bench', start + width * 0.3, y, Math.max(9, width * 0.18), colours.soft, 500);
      const room = size / 2 - width * 2;
      benched.forEach((man, index) => {
        const apart = Math.min(width * 0.34, room / Math.max(1, benched.length));
        this.drawMan(ctx, view, seat, man, start + width * 0.85 + index * apart, y, Math.min(width * 0.15, apart * 0.45));
      });
    }
  }

  /** The ball's row over the last rounds. */
  drawMomentum(ctx, view) {
    const { size, colours, turn, tape } = view;
    const { width, height } = this.geometry(size);
    const [top, bottom] = [height + width * 0.95, size * this.aspect - 6];
    const [left, right] = [width, 10 * width];
    const y = (row) => mix(bottom, top, (row + 5) / 10);
    const SHOWN = 120;
    const start = Math.max(0, turn - SHOWN);
    const x = (at) => mix(left, right, (at - start) / SHOWN);
    ctx.strokeStyle = colours.line;
    ctx.lineWidth = 1;
    for (const row of [-5, 0, 5]) {
      ctx.beginPath();
      ctx.moveTo(left, y(row));
      ctx.lineTo(right, y(row));
      ctx.stroke();
    }
    write(ctx, 'goal', left - width * 0.4, y(5), Math.max(9, width * 0.16), colours.seat(0), 600);
    write(ctx, 'goal', left - width * 0.4, y(-5), Math.max(9, width * 0.16), colours.seat(1), 600);
    const rows = tape.track(this.ball);
    for (const side of [1, -1]) {
      ctx.beginPath();
      ctx.moveTo(x(start), y(0));
      for (let at = start; at <= turn; at++) {
        const row = side * Math.max(0, side * rows[at]);
        ctx.lineTo(x(at), y(row));
        ctx.lineTo(x(Math.min(at + 1, turn)), y(row));
      }
      ctx.lineTo(x(turn), y(0));
      ctx.globalAlpha = 0.55;
      ctx.fillStyle = colours.seat(side > 0 ? 0 : 1);
      ctx.fill();
      ctx.globalAlpha = 1;
    }
  }

  drawFrame(ctx, view, place, isCursor) {
    const { width, height, x } = this.geometry(view.size);
    frame(ctx, x(place) - width / 2 + 2, 2, width - 4, height - 4, view.colours, isCursor);
  }

  whoIsAt(values, place, x, y) {
    const geometry = this.geometry(1);
    const all = [0, 1].flatMap((seat) => [...this.placesOf(values, seat, geometry)].map(([index, [manX, manY]]) => ({ seat, index, manX, manY })));
    const here = all.filter(({ manX }) => Math.abs(manX - geometry.x(place)) < geometry.width / 2);
    if (x === undefined) return here;
    return here.sort((one, other) => Math.hypot(one.manX - x, one.manY - y) - Math.hypot(other.manX - x, other.manY - y));
  }

  tell(values, place) {
    const teams = [0, 1].map((seat) => {
      const men = this.rows(values, seat).get(place) ?? [];
      return `${plural(men.length, 'man', 'men')} of seat ${seat}${men.length ? ` (${men.map(({ man, fatigue }) => `${man}: fatigue ${values[fatigue]}`).join(', ')})` : ''}`;
    });
    return `Row ${place}${values[this.ball] === place ? ', where the ball is' : ''}: ${teams.join(', ')}`;
  }
}
