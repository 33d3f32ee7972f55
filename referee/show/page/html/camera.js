// The camera: the visible part of the board. It follows a player, and it takes pictures.

/** How much larger the board is while a player is followed. */
const ZOOM = 2.5;

class Camera {
  constructor(tape, board) {
    this.tape = tape;
    this.board = board;
    this.zoom = 1;
    this.left = this.top = 0;
    this.canFollow = board.placeName === 'cell' && tape.movers.some((players) => players.size > 0);
  }

  /** The middle of each place, in parts of the board's width: the mean of the points on it. */
  get middles() {
    if (this.found) return this.found;
    const STEPS = 240;
    const sums = new Map();
    for (let row = 0; row < STEPS * this.board.aspect; row++) {
      for (let column = 0; column < STEPS; column++) {
        const [x, y] = [(column + 0.5) / STEPS, (row + 0.5) / STEPS];
        const place = this.board.placeAt(x, y);
        if (place === null) continue;
        const sum = sums.get(place) ?? [0, 0, 0];
        sums.set(place, [sum[0] + x, sum[1] + y, sum[2] + 1]);
      }
    }
    this.found = new Map([...sums].map(([place, [x, y, count]]) => [place, [x / count, y / count]]));
    return this.found;
  }

  /** Looks at the chosen player on its way between two positions; at the whole board if no player is followed. */
  aim(pick, values, next, part) {
    const players = pick && pick.seat !== undefined && pick.seat !== null ? this.tape.movers[pick.seat] : null;
    const fact = players?.get(pick.index ?? null) ?? players?.get(0);
    const here = fact === undefined ? undefined : this.middles.get(values[fact]);
    this.zoom = here ? ZOOM : 1;
    if (!here) {
      this.left = this.top = 0;
      return;
    }
    const there = this.middles.get(next[fact]) ?? here;
    const inside = (middle, whole) => Math.min(whole - whole / ZOOM, Math.max(0, middle - whole / ZOOM / 2));
    this.left = inside(mix(here[0], there[0], ease(part)), 1);
    this.top = inside(mix(here[1], there[1], ease(part)), this.board.aspect);
  }

  /** Sets a canvas up so that the board is drawn as it is looked at. */
  place(ctx, ratio, size) {
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, size, size * this.board.aspect);
    const scale = ratio * this.zoom;
    ctx.setTransform(scale, 0, 0, scale, -this.left * size * scale, -this.top * size * scale);
  }

  /** Returns the point of the board that is seen at a point of the canvas. */
  point(x, y) {
    return [this.left + x / this.zoom, this.top + y / this.zoom];
  }

  /** Saves the picture on a canvas as a file, with a line of words below it. */
  save(canvas, words, name, colours, ratio) {
    const picture = document.createElement('canvas');
    const line = Math.round(30 * ratio);
    [picture.width, picture.height] = [canvas.width, canvas.height + line];
    const ctx = picture.getContext('2d');
    ctx.fillStyle = colours.card;
    ctx.fillRect(0, 0, picture.width, picture.height);
    ctx.drawImage(canvas, 0, 0);
    ctx.font = `${14 * ratio}px system-ui, "DejaVu Sans", sans-serif`;
    ctx.textBaseline = 'middle';
    ctx.fillStyle = colours.ink;
    ctx.fillText(words, 8 * ratio, canvas.height + line / 2, picture.width - 16 * ratio);
    picture.toBlob((blob) => {
      const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
}
