// Drawing tools of all boards: colours, each seat's shape, arrows, numbers.

/** Colours by name, as the style has them now. */
class Colours {
  constructor() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(`--${name}`).trim();
    for (const name of ['ground', 'card', 'ink', 'soft', 'line', 'accent', 'field', 'grid', 'ball', 'coin', 'wall', 'bad', 'good', 'mark']) {
      this[name] = of(name);
    }
    this.coinInk = of('coin-ink');
    this.seats = Array.from({ length: 6 }, (_, seat) => of(`seat${seat}`));
  }

  seat(seat) {
    return this.seats[colourOf(seat)];
  }
}

/** The number of a seat's colour. Seats of a team share it; `mod.rs` writes TEAMS. */
function colourOf(seat) {
  return (TEAMS[seat] ?? seat) % 6;
}

/**
 * The corners of a seat's shape, about a circle of radius 1; none: the circle. `mod.rs` writes SHAPES. With more than six
 * seats, six at a time share a shape: their colours differ.
 */
function shapeOf(seat, seats) {
  return SHAPES[(seats > 6 ? Math.floor(seat / 6) : seat) % SHAPES.length];
}

function traceShape(ctx, shape, x, y, radius) {
  if (shape.length === 0) {
    ctx.moveTo(x + radius, y);
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  shape.forEach(([dx, dy], corner) => (corner ? ctx.lineTo(x + dx * radius, y + dy * radius) : ctx.moveTo(x + dx * radius, y + dy * radius)));
  ctx.closePath();
}

/** A small picture of a seat's shape, for the page's text. */
function swatch(seat, seats) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '-1.25 -1.25 2.5 2.5');
  svg.setAttribute('aria-hidden', 'true');
  const shape = shapeOf(seat, seats);
  const path = document.createElementNS(svg.namespaceURI, 'path');
  path.setAttribute('d', shape.length ? `M${shape.map((corner) => corner.join(' ')).join('L')}Z` : 'M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z');
  path.style.fill = `var(--seat${colourOf(seat)})`;
  svg.append(path);
  return svg;
}

function write(ctx, text, x, y, size, colour, weight = 650, halo = null) {
  ctx.font = `${weight} ${size}px system-ui, "DejaVu Sans", sans-serif`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  if (halo) {
    ctx.lineJoin = 'round';
    ctx.lineWidth = 3;
    ctx.strokeStyle = halo;
    ctx.strokeText(text, x, y);
  }
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}

/** An arrow with a rim, so that it stands out on any ground. */
function arrow(ctx, fromX, fromY, toX, toY, colours, colour, width, dashed) {
  const angle = Math.atan2(toY - fromY, toX - fromX);
  const head = width * 2.6;
  const [neckX, neckY] = [toX - head * 0.85 * Math.cos(angle), toY - head * 0.85 * Math.sin(angle)];
  const shaft = () => {
    ctx.beginPath();
    ctx.moveTo(fromX, fromY);
    ctx.lineTo(neckX, neckY);
    ctx.stroke();
  };
  const tip = () => {
    ctx.beginPath();
    ctx.moveTo(toX, toY);
    ctx.lineTo(toX - head * Math.cos(angle - 0.5), toY - head * Math.sin(angle - 0.5));
    ctx.lineTo(toX - head * Math.cos(angle + 0.5), toY - head * Math.sin(angle + 0.5));
    ctx.closePath();
  };
  ctx.strokeStyle = colours.card;
  ctx.lineWidth = width + 3;
  shaft();
  ctx.lineWidth = 3;
  tip();
  ctx.stroke();
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(dashed ? [width * 1.4, width] : []);
  shaft();
  ctx.setLineDash([]);
  tip();
  ctx.fill();
}

function cross(ctx, x, y, radius, colour, width) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.moveTo(x - radius, y - radius);
  ctx.lineTo(x + radius, y + radius);
  ctx.moveTo(x + radius, y - radius);
  ctx.lineTo(x - radius, y + radius);
  ctx.stroke();
}

/** From 0 to 1, slowly at both ends. */
function ease(part) {
  return part * part * (3 - 2 * part);
}

function mix(from, to, part) {
  return from + (to - from) * part;
}

function isThere(value) {
  return value !== undefined && value !== ABSENT;
}

function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** The frame around the chosen place, or around the place of the arrow keys' cursor. */
function frame(ctx, x, y, width, height, colours, isCursor) {
  ctx.lineWidth = isCursor ? 3 : 2;
  ctx.strokeStyle = colours.accent;
  ctx.setLineDash(isCursor ? [] : [5, 3]);
  ctx.strokeRect(x, y, width, height);
  ctx.setLineDash([]);
}

/** The common part of boards of square cells. */
class Squares {
  constructor(tape, side) {
    this.tape = tape;
    this.side = side;
    this.aspect = 1;
    this.placeName = 'cell';
    this.places = side * side;
  }

  placeAt(x, y) {
    const [column, row] = [Math.floor(x * this.side), Math.floor(y * this.side)];
    const inside = column >= 0 && row >= 0 && column < this.side && row < this.side;
    return inside ? row * this.side + column : null;
  }

  step(place, columns, rows) {
    const clamp = (value) => Math.min(Math.max(value, 0), this.side - 1);
    return clamp(Math.floor(place / this.side) + rows) * this.side + clamp((place % this.side) + columns);
  }

  where(place) {
    return `Cell ${place}, row ${Math.floor(place / this.side)}, column ${place % this.side}`;
  }

  /** The ground, with a line after each `every` cells. */
  drawGround(ctx, size, every, colours) {
    ctx.fillStyle = colours.field;
    ctx.fillRect(0, 0, size, size);
    ctx.strokeStyle = colours.grid;
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let line = every; line < this.side; line += every) {
      const at = Math.round((line * size) / this.side) + 0.5;
      ctx.moveTo(at, 0);
      ctx.lineTo(at, size);
      ctx.moveTo(0, at);
      ctx.lineTo(size, at);
    }
    ctx.stroke();
  }

  centre(place, cell) {
    return [((place % this.side) + 0.5) * cell, (Math.floor(place / this.side) + 0.5) * cell];
  }

  frame(ctx, place, cell, colours, isCursor) {
    frame(ctx, (place % this.side) * cell, Math.floor(place / this.side) * cell, cell, cell, colours, isCursor);
  }
}
