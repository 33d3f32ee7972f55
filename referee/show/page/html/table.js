// The board of a game that has none of its own: its facts as a table, a line for each thing of each seat.

class TableBoard {
  constructor(tape) {
    this.tape = tape;
    this.title = tape.title;
    this.placeName = 'line';
    this.hasPlayers = false;
    this.options = [];
    this.legend = 'Each line shows one object. Lines that change in this turn are marked.';
    const lines = new Map();
    tape.keys.forEach(({ thing, seat, index }, fact) => {
      const name = seat === null ? thing : `${thing} of seat ${seat}`;
      if (!lines.has(name)) lines.set(name, { name, seat, facts: [] });
      lines.get(name).facts.push({ fact, index });
    });
    this.lines = [...lines.values()];
    this.places = this.lines.length;
    this.aspect = Math.min(1.2, Math.max(0.3, (this.places + 1) / TableBoard.LINES));
  }

  /** The height of a line, in pixels, at which all lines fit. */
  height(size) {
    return Math.min(size / TableBoard.LINES, (size * this.aspect) / (this.places + 1));
  }

  placeAt(x, y) {
    const place = Math.floor(y / this.height(1) - 0.5);
    return place >= 0 && place < this.places ? place : null;
  }

  step(place, columns, rows) {
    return Math.min(this.places - 1, Math.max(0, place + rows));
  }

  /** The values of a line. If their indexes are not 0, 1, 2 and so on, each value has its index in front. */
  words(values, place) {
    const { facts } = this.lines[place];
    const there = facts.filter(({ fact }) => isThere(values[fact]));
    const inOrder = there.every(({ index }, number) => index === null || index === number);
    const one = ({ fact, index }) => (inOrder ? values[fact] : `${index}:${values[fact]}`);
    const more = there.length > TableBoard.SHOWN ? ` ... (${there.length - TableBoard.SHOWN} more)` : '';
    return (there.slice(0, TableBoard.SHOWN).map(one).join(' ') || 'none') + more;
  }

  draw(ctx, { size, colours, part, values, next }) {
    ctx.clearRect(0, 0, size, size * this.aspect);
    const height = this.height(size);
    ctx.font = `500 ${height * 0.6}px ui-monospace, monospace`;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    this.lines.forEach(({ name, seat, facts }, place) => {
      const y = (place + 1) * height;
      if (facts.some(({ fact }) => values[fact] !== next[fact])) {
        ctx.fillStyle = colours.accent;
        ctx.fillRect(0, y - height * 0.4, height * 0.2, height * 0.8);
      }
      ctx.fillStyle = seat === null ? colours.ink : colours.seat(seat);
      ctx.fillText(name, height * 0.5, y, size * 0.26);
      ctx.fillStyle = colours.ink;
      ctx.fillText(this.words(part > 0.5 ? next : values, place), size * 0.3, y, size * 0.69);
    });
  }

  drawFrame(ctx, { size, colours }, place, isCursor) {
    const height = this.height(size);
    ctx.strokeStyle = colours.accent;
    ctx.lineWidth = 2;
    ctx.setLineDash(isCursor ? [] : [6, 4]);
    ctx.strokeRect(1, (place + 0.5) * height, size - 2, height);
    ctx.setLineDash([]);
  }

  whoIsAt() {
    return [];
  }

  tell(values, place) {
    return `${this.lines[place].name}: ${this.words(values, place)}`;
  }
}

/** The number of lines that fill a square. */
TableBoard.LINES = 24;

/** Maximum number of values in a line. */
TableBoard.SHOWN = 40;
