// The timeline: scores as curves, events as marks, thinking times as strips. A line marks the current turn.

/** Height of the bands of expected shares, in pixels. */
const EXPECTED = 46;

class Timeline {
  constructor(tape, canvas) {
    this.tape = tape;
    this.canvas = canvas;
    /** The furthest turn that was shown. Scores and expected shares are drawn up to it: they tell the end of the game. */
    this.seen = 0;
    this.hasScores = tape.scoreFacts.some((fact) => fact !== undefined);
    // A game without scores before the end shows the number of walls.
    this.counted = this.hasScores ? null : tape.marks.filter(({ kind, name }) => kind === 'effect' && name === 'wall').map(({ turn }) => turn);
  }

  x(turn) {
    return this.left + ((this.right - this.left) * turn) / Math.max(1, this.tape.turns);
  }

  turnAt(x) {
    const part = (x - this.left) / (this.right - this.left);
    return Math.round(Math.min(1, Math.max(0, part)) * this.tape.turns);
  }

  /** Draws all but the line of the current turn once, in the size that the page gives. */
  lay(colours) {
    this.canvas.classList.toggle('tall', this.tape.expected !== undefined);
    const box = this.canvas.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    [this.width, this.height, this.ratio] = [box.width, box.height, ratio];
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
    [this.left, this.right] = [34, this.width - 10];
    const [ctx, later] = [this.layer('still'), this.layer('told')];
    const rows = Math.min(this.tape.seats.length, 6);
    const strip = this.height < 100 ? 3 : 5;
    this.top = 14 + (this.tape.expected ? EXPECTED + 6 : 0);
    this.bottom = this.height - rows * (strip + 1) - 8;
    if (this.tape.expected) this.drawExpected(later, colours);
    this.drawMarks(ctx, colours);
    if (this.hasScores) this.drawScores(ctx, later, colours);
    else this.drawCount(ctx, colours);
    this.drawThinking(ctx, colours, rows, strip);
  }

  /** Makes a picture of the size of the timeline. */
  layer(name) {
    const layer = document.createElement('canvas');
    this[name] = layer;
    [layer.width, layer.height] = [this.canvas.width, this.canvas.height];
    const ctx = layer.getContext('2d');
    ctx.scale(this.ratio, this.ratio);
    return ctx;
  }

  /** The share that each seat could expect: a band for each, from seat 0 on top. A white line is between two bands. */
  drawExpected(ctx, colours) {
    const { expected, seats } = this.tape;
    const sums = expected.map(([, shares]) => shares.reduce((sums, share) => [...sums, sums.at(-1) + share], [0]));
    const y = (at, seat) => 14 + (EXPECTED * sums[at][seat]) / (sums[at].at(-1) || 1);
    const points = expected.map(([turn], at) => [this.x(turn), at]);
    seats.forEach((_, seat) => {
      ctx.beginPath();
      points.forEach(([x, at]) => ctx.lineTo(x, y(at, seat)));
      points.toReversed().forEach(([x, at]) => ctx.lineTo(x, y(at, seat + 1)));
      ctx.closePath();
      ctx.fillStyle = colours.seat(seat);
      ctx.globalAlpha = 0.75;
      ctx.fill();
      ctx.globalAlpha = 1;
      ctx.strokeStyle = colours.card;
      ctx.lineWidth = 1;
      ctx.stroke();
    });
    if (seats.length > 6) return;
    const middle = Math.floor(expected.length / 2);
    seats.forEach((_, seat) => {
      const [top, bottom] = [y(middle, seat), y(middle, seat + 1)];
      if (bottom - top < 9) return;
      ctx.beginPath();
      traceShape(ctx, shapeOf(seat, seats.length), points[middle][0], (top + bottom) / 2, 3.5);
      ctx.fillStyle = colours.card;
      ctx.fill();
    });
  }

  /** Returns the height of a value on an axis between two others. */
  y(value, [least, most]) {
    return mix(this.bottom, this.top + 4, (value - least) / (most - least));
  }

  /** Lines at both ends of an axis, and at 0 if it is not close to one of them. */
  axis(ctx, colours, ends, label) {
    ctx.strokeStyle = colours.line;
    ctx.lineWidth = 1;
    const [least, most] = ends;
    const isApart = Math.min(0 - least, most - 0) > (most - least) / 6;
    for (const value of isApart ? [least, 0, most] : ends) {
      const y = this.y(value, ends);
      ctx.beginPath();
      ctx.moveTo(this.left, Math.round(y) + 0.5);
      ctx.lineTo(this.right, Math.round(y) + 0.5);
      ctx.stroke();
      write(ctx, value, this.left - 16, y, 10.5, colours.soft, 500);
    }
    if (label && this.height > 100) {
      write(ctx, label, 0, 0, 0.01, 'transparent');
      ctx.textAlign = 'left';
      ctx.font = '500 10.5px system-ui, "DejaVu Sans", sans-serif';
      ctx.fillStyle = colours.soft;
      ctx.fillText(label, this.left + 4, this.top + 12);
    }
  }

  drawScores(still, ctx, colours) {
    const { tape } = this;
    const seats = tape.seats.length;
    let [least, most] = [0, 0];
    for (const score of tape.scores) {
      if (score < least) least = score;
      if (score > most) most = score;
    }
    const ends = [least, Math.max(most, least + 1)];
    this.axis(still, colours, ends, 'Score');
    const step = Math.max(1, Math.floor(tape.turns / (2 * this.width)));
    for (let seat = 0; seat < seats; seat++) {
      ctx.beginPath();
      const y = (turn) => this.y(tape.score(turn, seat), ends);
      ctx.moveTo(this.x(0), y(0));
      for (let turn = step; turn < tape.turns; turn += step) ctx.lineTo(this.x(turn), y(turn));
      ctx.lineTo(this.x(tape.turns), y(tape.turns));
      ctx.strokeStyle = colours.seat(seat);
      ctx.lineWidth = 2;
      ctx.lineJoin = 'round';
      ctx.stroke();
      // The seat's shape a few times along its curve, for people who cannot tell the colours apart.
      ctx.beginPath();
      for (let part = 1; part <= 6; part++) {
        const turn = Math.round((tape.turns * (part - 0.5 + 0.12 * (seat - seats / 2))) / 6);
        if (turn > 0 && turn <= tape.turns) traceShape(ctx, shapeOf(seat, seats), this.x(turn), y(turn), 4);
      }
      ctx.fillStyle = colours.seat(seat);
      ctx.fill();
    }
  }

  drawCount(ctx, colours) {
    const most = Math.max(1, this.counted.length);
    this.axis(ctx, colours, [0, most], 'Walls');
    ctx.beginPath();
    ctx.moveTo(this.x(0), this.bottom);
    this.counted.forEach((turn, index) => {
      ctx.lineTo(this.x(turn), mix(this.bottom, this.top + 4, index / most));
      ctx.lineTo(this.x(turn), mix(this.bottom, this.top + 4, (index + 1) / most));
    });
    ctx.lineTo(this.x(this.tape.turns), this.top + 4);
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 2;
    ctx.stroke();
    ctx.lineTo(this.right, this.bottom);
    ctx.globalAlpha = 0.12;
    ctx.fillStyle = colours.ink;
    ctx.fill();
    ctx.globalAlpha = 1;
  }

  drawMarks(ctx, colours) {
    const drawn = new Set();
    for (const { turn, kind, name, seat, secret } of this.tape.marks) {
      if (kind === 'end' || secret) continue;
      const x = Math.round(this.x(turn));
      const key = `${x} ${kind} ${name}`;
      if (drawn.has(key)) continue;
      drawn.add(key);
      if (kind === 'fall') {
        ctx.fillStyle = colours.seat(seat);
        ctx.fillRect(x - 1, this.top, 2, this.bottom - this.top);
        ctx.beginPath();
        ctx.moveTo(x - 6, this.bottom - 9);
        ctx.lineTo(x + 6, this.bottom - 9);
        ctx.lineTo(x, this.bottom);
        ctx.fill();
      } else if (kind === 'fault' || name === 'void' || name === 'warning') {
        ctx.beginPath();
        ctx.moveTo(x - 3.5, 1);
        ctx.lineTo(x + 3.5, 1);
        ctx.lineTo(x, 9);
        ctx.fillStyle = colours.bad;
        ctx.fill();
      } else if (name === 'quarter') {
        ctx.fillStyle = colours.line;
        ctx.fillRect(x, this.top, 1.5, this.bottom - this.top);
      } else {
        ctx.fillStyle = seat === null ? colours.wall : colours.seat(seat);
        ctx.fillRect(x, 4, 1.5, 5);
      }
    }
  }

  /** A row for each seat, or for groups of seats if there are many: darker for a longer time, red for a fault. */
  drawThinking(ctx, colours, rows, strip) {
    const { tape } = this;
    const seats = tape.seats.length;
    const columns = Math.max(1, Math.floor(this.right - this.left));
    const limit = tape.limits[2] ? Math.max(1, ...this.greatest()) : tape.limits[0];
    for (let row = 0; row < rows; row++) {
      const own = Array.from({ length: seats }, (_, seat) => seat).filter((seat) => Math.floor((seat * rows) / seats) === row);
      const y = this.bottom + 6 + row * (strip + 1);
      ctx.fillStyle = colours.line;
      ctx.globalAlpha = 0.45;
      ctx.fillRect(this.left, y, columns, strip);
      for (let column = 0; column < columns; column++) {
        const start = Math.floor((column * tape.turns) / columns);
        const end = Math.max(start + 1, Math.floor(((column + 1) * tape.turns) / columns));
        let longest = -1;
        let bad = false;
        for (let turn = start; turn < end && turn < tape.turns; turn++) {
          for (const seat of own) {
            longest = Math.max(longest, tape.times[turn * seats + seat]);
            bad ||= tape.judged[turn * seats + seat] > 0;
          }
        }
        if (longest < 0) continue;
        ctx.globalAlpha = bad ? 1 : 0.28 + 0.72 * Math.min(1, Math.sqrt(longest / limit));
        ctx.fillStyle = bad ? colours.bad : seats > 6 ? colours.accent : colours.seat(row);
        ctx.fillRect(this.left + column, y, 1, strip);
      }
      ctx.globalAlpha = 1;
      ctx.beginPath();
      if (seats <= 6) traceShape(ctx, shapeOf(row, seats), this.left - 16, y + strip / 2, Math.min(3, strip * 0.55));
      ctx.fillStyle = colours.seat(row);
      ctx.fill();
    }
  }

  greatest() {
    let greatest = 0;
    for (const time of this.tape.times) if (time > greatest) greatest = time;
    return [greatest];
  }

  draw(time, colours) {
    const ctx = this.canvas.getContext('2d');
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.seen = Math.max(this.seen, time);
    const shown = Math.min(this.canvas.width, Math.ceil((this.x(this.seen) + (this.seen < this.tape.turns ? 0 : 6)) * this.ratio));
    if (this.canvas.width && this.canvas.height) { // Else it is hidden.
      ctx.drawImage(this.still, 0, 0);
      ctx.drawImage(this.told, 0, 0, shown, this.canvas.height, 0, 0, shown, this.canvas.height);
    }
    ctx.scale(this.ratio, this.ratio);
    const x = this.x(time);
    ctx.fillStyle = colours.accent;
    ctx.fillRect(x - 1, 10, 2, this.height - 12);
    ctx.beginPath();
    ctx.arc(x, 10, 6, 0, 2 * Math.PI);
    ctx.fill();
    ctx.strokeStyle = colours.card;
    ctx.lineWidth = 2;
    ctx.stroke();
  }
}
