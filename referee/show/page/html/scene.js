// The board of a game that has none of its own, but whose facts describe a scene: tokens, marked places, lines and
// labels on a ground. The ground is a grid of squares or hexagons, or free points, and knows where each place is.
// All measures are parts of the board's width.

/** The value of a fact of the board that never changes; 0 if there is none. */
function steady(tape, name) {
  return tape.board.find(([thing, seat, index]) => thing === name && seat === null && index === null)?.[3] ?? 0;
}

/** A grid of squares, or of hexagons whose odd rows begin half a cell further to the right. */
class GridGround {
  constructor(tape) {
    this.rows = steady(tape, 'rows');
    this.columns = steady(tape, 'columns');
    this.hexagonal = steady(tape, 'hexagonal') !== 0;
    this.torus = steady(tape, 'torus') !== 0;
    this.places = this.rows * this.columns;
    this.name = 'cell';
    // How wide a cell is, how far the next row is, and how far a corner is from the middle.
    this.width = 1 / (this.columns + (this.hexagonal ? 0.5 : 0));
    this.height = this.hexagonal ? this.width * Math.sqrt(0.75) : this.width;
    this.corner = this.hexagonal ? this.width / Math.sqrt(3) : this.width / 2;
    this.aspect = (this.rows - 1) * this.height + 2 * this.corner;
    this.radius = this.width / 2;
  }

  isPlace(place) {
    return isThere(place) && place >= 0 && place < this.places;
  }

  /** The middle of a cell. */
  spot(place) {
    const [row, column] = [Math.floor(place / this.columns), place % this.columns];
    return [(column + 0.5 + (this.hexagonal && row % 2 ? 0.5 : 0)) * this.width, row * this.height + this.corner];
  }

  /** The way from a cell to another: on a torus the shorter one, which may lead over the edge. */
  way(from, to) {
    const [[x0, y0], [x1, y1]] = [this.spot(from), this.spot(to)];
    const short = (far, whole) => (this.torus && Math.abs(far) > whole / 2 ? far - Math.sign(far) * whole : far);
    return [short(x1 - x0, this.columns * this.width), short(y1 - y0, this.rows * this.height)];
  }

  /** Offsets at which a thing between two cells is drawn: on a torus it leaves on one side and enters on the other. */
  echoes(from, to) {
    const [[x0, y0], [x1, y1]] = [this.spot(from), this.spot(to)];
    const [right, down] = this.way(from, to);
    if (Math.hypot(x0 + right - x1, y0 + down - y1) < this.radius) return [[0, 0]];
    const steps = [-1, 0, 1];
    return steps.flatMap((x) => steps.map((y) => [x * this.columns * this.width, y * this.rows * this.height]));
  }

  trace(ctx, place, size) {
    const [x, y] = this.spot(place).map((part) => part * size);
    if (!this.hexagonal) {
      ctx.rect(x - this.radius * size, y - this.radius * size, this.width * size, this.width * size);
      return;
    }
    for (let corner = 0; corner < 6; corner++) {
      const angle = Math.PI * (corner / 3 + 1 / 6);
      ctx[corner ? 'lineTo' : 'moveTo'](x + this.corner * size * Math.cos(angle), y + this.corner * size * Math.sin(angle));
    }
    ctx.closePath();
  }

  drawEmpty(ctx, size, colours) {
    ctx.strokeStyle = colours.grid;
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let place = 0; place < this.places; place++) this.trace(ctx, place, size);
    ctx.stroke();
  }

  /** The place at a point of the board: the cell whose middle is nearest. */
  placeAt(x, y) {
    const row = Math.floor(this.hexagonal ? (y - this.corner) / this.height + 0.5 : y / this.height);
    let found = null;
    for (let near = Math.max(0, row - 1); near <= Math.min(this.rows - 1, row + 1); near++) {
      const shift = this.hexagonal && near % 2 ? 0.5 : 0;
      const column = Math.floor(x / this.width - shift);
      if (column < 0 || column >= this.columns) continue;
      const place = near * this.columns + column;
      const [spotX, spotY] = this.spot(place);
      const far = Math.hypot(spotX - x, spotY - y);
      if (far <= this.corner * 1.5 && (found === null || far < found.far)) found = { place, far };
    }
    return found?.place ?? null;
  }

  step(place, columns, rows) {
    const move = (from, by, most) => (this.torus ? (from + by + most) % most : Math.min(Math.max(from + by, 0), most - 1));
    return move(Math.floor(place / this.columns), rows, this.rows) * this.columns + move(place % this.columns, columns, this.columns);
  }

  tell(place) {
    return `Cell ${place}, row ${Math.floor(place / this.columns)}, column ${place % this.columns}`;
  }
}

/** Free points. Their distances from the left and from the top, 0 to 1000, change as the game goes on. */
class PointGround {
  constructor(tape) {
    this.places = steady(tape, 'points');
    this.name = 'point';
    this.aspect = 0.75;
    this.radius = Math.min(0.03, 0.35 / Math.sqrt(this.places));
    this.facts = Array.from({ length: this.places }, (_, place) => ['x', 'y'].map((thing) => tape.fact(thing, null, place)));
    this.move(null, null, 0);
  }

  /** Puts all points where they are between two positions. */
  move(values, next, part) {
    const at = (fact, room) => {
      if (values === null || fact === undefined || !isThere(values[fact])) return null;
      const [now, then] = [values, next].map((position) => Math.min(Math.max(isThere(position[fact]) ? position[fact] : values[fact], 0), 1000));
      const edge = 1.5 * this.radius;
      return edge + (mix(now, then, ease(part)) / 1000) * (room - 2 * edge);
    };
    this.spots = this.facts.map(([x, y]) => [at(x, 1), at(y, this.aspect)]);
  }

  isPlace(place) {
    return isThere(place) && this.spots[place] !== undefined && this.spots[place].every((part) => part !== null);
  }

  spot(place) {
    return this.spots[place];
  }

  way(from, to) {
    return this.spots[to].map((part, axis) => part - this.spots[from][axis]);
  }

  echoes() {
    return [[0, 0]];
  }

  trace(ctx, place, size) {
    const [x, y] = this.spots[place].map((part) => part * size);
    ctx.moveTo(x + this.radius * size, y);
    ctx.arc(x, y, this.radius * size, 0, 2 * Math.PI);
  }

  drawEmpty(ctx, size, colours) {
    ctx.strokeStyle = colours.wall;
    ctx.fillStyle = colours.card;
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let place = 0; place < this.places; place++) if (this.isPlace(place)) this.trace(ctx, place, size);
    ctx.fill();
    ctx.stroke();
  }

  placeAt(x, y) {
    const far = (place) => Math.hypot(this.spots[place][0] - x, this.spots[place][1] - y);
    const near = this.spots.map((_, place) => place).filter((place) => this.isPlace(place) && far(place) < 2 * this.radius);
    return near.reduce((best, place) => (best === null || far(place) < far(best) ? place : best), null);
  }

  step(place, columns, rows) {
    return (place + columns + rows + this.places) % this.places;
  }

  tell(place) {
    return `Point ${place}`;
  }
}

/** A scene. */
class SceneBoard {
  /** Returns the ground that the facts of a game describe; null if there is none. */
  static ground(tape) {
    const fits = (name, most) => steady(tape, name) > 0 && steady(tape, name) <= most;
    if (fits('rows', SceneBoard.SIDE_MAX) && fits('columns', SceneBoard.SIDE_MAX)) return new GridGround(tape);
    return fits('points', SceneBoard.POINTS_MAX) ? new PointGround(tape) : null;
  }

  constructor(tape, ground) {
    this.tape = tape;
    this.ground = ground;
    this.title = tape.title;
    this.aspect = ground.aspect;
    this.placeName = ground.name;
    this.places = ground.places;
    this.options = [];
    this.legend = 'Places have the colour of their owner, tokens its shape. The rules of the game say what numbers and letters mean.';
    this.cells = [];
    this.tokens = [];
    this.lines = [];
    this.labels = [];
    tape.keys.forEach(({ thing, seat, index }, fact) => {
      if (thing === 'cell' && index !== null) this.cells.push({ seat, place: index, fact });
      if (thing === 'player') this.tokens.push({ seat, index, fact, glyph: tape.fact('glyph', seat, index) });
      if (thing === 'from') this.lines.push({ seat, from: fact, to: tape.fact('to', seat, index) });
      if (thing === 'label' && seat === null && index !== null) this.labels.push({ place: index, fact });
    });
    this.hasPlayers = this.tokens.some(({ index }) => index !== null);
  }

  placeAt(x, y) {
    return this.ground.placeAt(x, y);
  }

  step(place, columns, rows) {
    return this.ground.step(place, columns, rows);
  }

  colourOf(seat, colours) {
    return seat === null ? colours.wall : colours.seat(seat);
  }

  draw(ctx, view) {
    const { size, colours, part, values, next } = view;
    this.ground.move?.(values, next, part);
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, 0, size, size * this.aspect);
    ctx.clip();
    ctx.fillStyle = colours.field;
    ctx.fillRect(0, 0, size, size * this.aspect);
    const now = part > 0.5 ? next : values;
    const lines = () => this.lines.forEach((line) => this.drawLine(ctx, view, now, line));
    // Lines end at points. On a grid they are on its cells.
    if (this.ground instanceof PointGround) lines();
    this.ground.drawEmpty(ctx, size, colours);
    for (const cell of this.cells) this.drawCell(ctx, view, now, cell);
    if (this.ground instanceof GridGround) lines();
    for (const token of this.tokens) this.drawToken(ctx, view, token);
    for (const { place, fact } of this.labels) this.drawLabel(ctx, view, place, now[fact]);
    ctx.restore();
  }

  drawLine(ctx, { size, colours }, now, { seat, from, to }) {
    if (to === undefined || !this.ground.isPlace(now[from]) || !this.ground.isPlace(now[to])) return;
    const [x, y] = this.ground.spot(now[from]);
    const [right, down] = this.ground.way(now[from], now[to]);
    ctx.strokeStyle = this.colourOf(seat, colours);
    ctx.lineWidth = Math.max(1.5, this.ground.radius * size * 0.2);
    for (const [echoX, echoY] of this.ground.echoes(now[from], now[to])) {
      ctx.beginPath();
      ctx.moveTo((x + echoX) * size, (y + echoY) * size);
      ctx.lineTo((x + echoX + right) * size, (y + echoY + down) * size);
      ctx.stroke();
    }
  }

  drawCell(ctx, { size, colours }, now, { seat, place, fact }) {
    if (!isThere(now[fact]) || !this.ground.isPlace(place)) return;
    ctx.globalAlpha = seat === null ? 1 : 0.45;
    ctx.fillStyle = this.colourOf(seat, colours);
    ctx.beginPath();
    this.ground.trace(ctx, place, size);
    ctx.fill();
    ctx.globalAlpha = 1;
    const [x, y] = this.ground.spot(place);
    if (now[fact] !== 0) write(ctx, now[fact], x * size, y * size, this.ground.radius * size * 0.9, colours.ink);
  }

  drawToken(ctx, { size, colours, part, values, next }, { seat, fact, glyph }) {
    if (!this.ground.isPlace(values[fact])) return;
    const [x, y] = this.ground.spot(values[fact]);
    const goal = this.ground.isPlace(next[fact]) ? next[fact] : values[fact];
    const [right, down] = this.ground.way(values[fact], goal);
    const radius = this.ground.radius * size * 0.76;
    const sign = glyph === undefined || !isThere(values[glyph]) ? null : values[glyph];
    for (const [echoX, echoY] of this.ground.echoes(values[fact], goal)) {
      const [atX, atY] = [(x + echoX + right * ease(part)) * size, (y + echoY + down * ease(part)) * size];
      ctx.beginPath();
      traceShape(ctx, shapeOf(seat ?? 0, this.tape.seats.length), atX, atY, radius);
      ctx.fillStyle = seat === null ? colours.ink : colours.seat(seat);
      ctx.fill();
      ctx.strokeStyle = colours.card;
      ctx.lineWidth = 1.5;
      ctx.stroke();
      if (sign > 32 && sign < 127) write(ctx, String.fromCharCode(sign), atX, atY, radius * 1.3, colours.ink, 700, colours.card);
    }
  }

  /** The text of a label; undefined where there is none. */
  textOf(number) {
    return isThere(number) ? this.tape.labels?.[number - 1] : undefined;
  }

  drawLabel(ctx, { size, colours }, place, number) {
    const text = this.textOf(number);
    if (text === undefined || !this.ground.isPlace(place)) return;
    const [x, y] = this.ground.spot(place).map((part) => part * size);
    const height = Math.max(10, Math.min(16, this.ground.radius * size * 0.8));
    ctx.font = `600 ${height}px system-ui, "DejaVu Sans", sans-serif`;
    // Not cut off at a side. A cell has its label at the bottom. A point has it below, or above where the board ends.
    const half = ctx.measureText(text).width / 2;
    const middle = Math.min(Math.max(x, half + 2), size - half - 2);
    const inCell = this.ground instanceof GridGround;
    const away = this.ground.radius * size + height * (inCell ? -0.6 : 0.6);
    const isLow = !inCell && y + away + height / 2 > size * this.aspect;
    write(ctx, text, middle, isLow ? y - away : y + away, height, colours.ink, 600, colours.field);
  }

  drawFrame(ctx, { size, colours }, place, isCursor) {
    if (!this.ground.isPlace(place)) return;
    ctx.lineWidth = isCursor ? 3 : 2;
    ctx.strokeStyle = colours.accent;
    ctx.setLineDash(isCursor ? [] : [5, 3]);
    ctx.beginPath();
    this.ground.trace(ctx, place, size);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  whoIsAt(values, place) {
    const there = this.tokens.filter(({ seat, fact }) => seat !== null && values[fact] === place);
    return there.map(({ seat, index }) => ({ seat, index, place }));
  }

  tell(values, place) {
    const label = this.labels.filter((one) => one.place === place).map(({ fact }) => this.textOf(values[fact]));
    const who = this.whoIsAt(values, place).map(({ seat, index }) => `seat ${seat}${index === null ? '' : ` (${index})`}`);
    const marked = this.cells.filter((cell) => cell.place === place && isThere(values[cell.fact]));
    const cells = marked.map(({ seat, fact }) => `${seat === null ? 'marked' : `of seat ${seat}`}${values[fact] ? `: ${values[fact]}` : ''}`);
    const ends = this.lines.map(({ from, to }) => [values[from], values[to]]).filter((pair) => pair.includes(place));
    const lines = ends.map((pair) => `a line to ${pair[0] === place ? pair[1] : pair[0]}`);
    const all = [...label.filter((text) => text !== undefined), ...who, ...cells, ...lines];
    return `${this.ground.tell(place)}: ${all.join(', ') || 'empty'}`;
  }
}

/** The most rows and columns, and the most points, that are drawn. */
SceneBoard.SIDE_MAX = 200;
SceneBoard.POINTS_MAX = 2000;

/** The board: a scene, or a table if the facts describe none. */
class GameBoard {
  constructor(tape) {
    const ground = SceneBoard.ground(tape);
    return ground ? new SceneBoard(tape, ground) : new TableBoard(tape);
  }
}
