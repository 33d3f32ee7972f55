// The board of a game that has none of its own, but whose facts describe a grid: cells with an owner and a number, tokens.

class SceneBoard {
  /** Tells whether the facts of a game describe a grid. */
  static fits(tape) {
    return SceneBoard.side(tape, 'rows') > 0 && SceneBoard.side(tape, 'columns') > 0;
  }

  static side(tape, name) {
    const value = tape.board.find(([thing, seat, index]) => thing === name && seat === null && index === null)?.[3] ?? 0;
    return value <= SceneBoard.SIDE_MAX ? value : 0;
  }

  constructor(tape) {
    this.tape = tape;
    this.title = tape.rules;
    this.rows = SceneBoard.side(tape, 'rows');
    this.columns = SceneBoard.side(tape, 'columns');
    this.aspect = this.rows / this.columns;
    this.placeName = 'cell';
    this.places = this.rows * this.columns;
    this.options = [];
    this.legend = 'Cells have the colour of their owner, tokens its shape. Numbers and letters are the game\'s own.';
    this.cells = [];
    this.tokens = [];
    tape.keys.forEach(({ thing, seat, index }, fact) => {
      if (thing === 'cell' && index !== null && index < this.places) this.cells.push({ seat, place: index, fact });
      if (thing === 'player') this.tokens.push({ seat, index, fact, glyph: tape.fact('glyph', seat, index) });
    });
    this.hasPlayers = this.tokens.some(({ index }) => index !== null);
  }

  placeAt(x, y) {
    const [column, row] = [Math.floor(x * this.columns), Math.floor(y * this.columns)];
    const inside = column >= 0 && row >= 0 && column < this.columns && row < this.rows;
    return inside ? row * this.columns + column : null;
  }

  step(place, columns, rows) {
    const clamp = (value, most) => Math.min(Math.max(value, 0), most - 1);
    const row = clamp(Math.floor(place / this.columns) + rows, this.rows);
    return row * this.columns + clamp((place % this.columns) + columns, this.columns);
  }

  corner(place, cell) {
    return [(place % this.columns) * cell, Math.floor(place / this.columns) * cell];
  }

  isOn(place) {
    return isThere(place) && place >= 0 && place < this.places;
  }

  draw(ctx, { size, colours, part, values, next }) {
    const cell = size / this.columns;
    ctx.fillStyle = colours.field;
    ctx.fillRect(0, 0, size, size * this.aspect);
    for (const { seat, place, fact } of this.cells) {
      const value = (part > 0.5 ? next : values)[fact];
      if (!isThere(value)) continue;
      const [x, y] = this.corner(place, cell);
      ctx.globalAlpha = seat === null ? 1 : 0.45;
      ctx.fillStyle = seat === null ? colours.wall : colours.seat(seat);
      ctx.fillRect(x, y, cell, cell);
      ctx.globalAlpha = 1;
      if (value !== 0) write(ctx, value, x + cell / 2, y + cell / 2, cell * 0.45, colours.ink);
    }
    ctx.strokeStyle = colours.grid;
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let line = 0; line <= this.columns; line++) {
      ctx.moveTo(line * cell, 0);
      ctx.lineTo(line * cell, size * this.aspect);
    }
    for (let line = 0; line <= this.rows; line++) {
      ctx.moveTo(0, line * cell);
      ctx.lineTo(size, line * cell);
    }
    ctx.stroke();
    for (const token of this.tokens) this.drawToken(ctx, cell, token, { colours, part, values, next });
  }

  drawToken(ctx, cell, { seat, fact, glyph }, { colours, part, values, next }) {
    if (!this.isOn(values[fact])) return;
    const [x0, y0] = this.corner(values[fact], cell);
    const [x1, y1] = this.corner(this.isOn(next[fact]) ? next[fact] : values[fact], cell);
    const way = ease(part);
    const [x, y] = [mix(x0, x1, way) + cell / 2, mix(y0, y1, way) + cell / 2];
    ctx.beginPath();
    traceShape(ctx, shapeOf(seat ?? 0, this.tape.seats.length), x, y, cell * 0.38);
    ctx.fillStyle = seat === null ? colours.ink : colours.seat(seat);
    ctx.fill();
    ctx.strokeStyle = colours.card;
    ctx.lineWidth = 1.5;
    ctx.stroke();
    const sign = glyph === undefined || !isThere(values[glyph]) ? null : values[glyph];
    if (sign > 32 && sign < 127) write(ctx, String.fromCharCode(sign), x, y, cell * 0.5, colours.ink, 700, colours.card);
  }

  drawFrame(ctx, { size, colours }, place, isCursor) {
    const cell = size / this.columns;
    frame(ctx, ...this.corner(place, cell), cell, cell, colours, isCursor);
  }

  whoIsAt(values, place) {
    const there = this.tokens.filter(({ seat, fact }) => seat !== null && values[fact] === place);
    return there.map(({ seat, index }) => ({ seat, index, place }));
  }

  tell(values, place) {
    const who = this.whoIsAt(values, place).map(({ seat, index }) => `seat ${seat}${index === null ? '' : ` (${index})`}`);
    const marked = this.cells.filter((cell) => cell.place === place && isThere(values[cell.fact]));
    const cells = marked.map(({ seat, fact }) => `${seat === null ? 'marked' : `of seat ${seat}`}${values[fact] ? `: ${values[fact]}` : ''}`);
    const where = `Cell ${place}, row ${Math.floor(place / this.columns)}, column ${place % this.columns}`;
    return `${where}: ${[...who, ...cells].join(', ') || 'empty'}`;
  }
}

/** The most rows and columns that are drawn. */
SceneBoard.SIDE_MAX = 200;

/** A table where there is no grid. */
class GameBoard {
  constructor(tape) {
    return SceneBoard.fits(tape) ? new SceneBoard(tape) : new TableBoard(tape);
  }
}
