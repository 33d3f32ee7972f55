// The board of Push: a hexagon of 61 slots, piles, and pushes.

class GameBoard {
  constructor(tape) {
    this.tape = tape;
    this.title = 'Push';
    this.aspect = 0.9;
    this.placeName = 'slot';
    this.places = 61;
    this.hasPlayers = false;
    this.options = [{ id: 'bonus', label: 'Bonus map', on: true }, { id: 'pushes', label: 'Pushes ahead', on: true }];
    this.legend = 'Each colour marks the slots that score for a seat; the small number is the value of a coin there. Arrows are pushes; a broken one with a cross lost the draw.';
    this.coins = Array.from({ length: 61 }, (_, slot) => tape.fact('coins', null, slot));
    this.bonus = Array.from({ length: 61 }, () => null);
    this.homes = new Map();
    for (const [thing, seat, slot, value] of tape.board) {
      if (thing === 'bonus') this.bonus[slot] = { seat, value };
      if (thing === 'home') this.homes.set(slot, seat);
    }
    this.slots = [];
    [5, 6, 7, 8, 9, 8, 7, 6, 5].forEach((length, row) => {
      for (let column = 0; column < length; column++) this.slots.push({ row, x: column - (length - 1) / 2, y: row - 4 });
    });
  }

  geometry(size) {
    const radius = size / (9.3 * Math.sqrt(3));
    return { radius, centre: (slot) => [size / 2 + this.slots[slot].x * radius * Math.sqrt(3), (size * this.aspect) / 2 + this.slots[slot].y * radius * 1.5] };
  }

  placeAt(x, y) {
    const { radius, centre } = this.geometry(1);
    let nearest = null;
    this.slots.forEach((_, slot) => {
      const [slotX, slotY] = centre(slot);
      const distance = Math.hypot(x - slotX, y - slotY);
      if (distance < radius && (nearest === null || distance < nearest.distance)) nearest = { slot, distance };
    });
    return nearest && nearest.slot;
  }

  step(place, columns, rows) {
    const here = this.slots[place];
    const near = this.slots.map((slot, number) => ({ ...slot, number })).filter((slot) => (rows ? slot.row === here.row + rows : slot.row === here.row));
    const want = here.x + columns;
    near.sort((one, other) => Math.abs(one.x - want) - Math.abs(other.x - want));
    return near.length ? near[0].number : place;
  }

  hexagon(ctx, x, y, radius) {
    for (let corner = 0; corner < 6; corner++) {
      const angle = (corner * Math.PI) / 3 + Math.PI / 6;
      ctx[corner ? 'lineTo' : 'moveTo'](x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
    ctx.closePath();
  }

  draw(ctx, view) {
    const { size, colours, options } = view;
    const { radius, centre } = this.geometry(size);
    ctx.clearRect(0, 0, size, size * this.aspect);
    this.slots.forEach((_, slot) => {
      const [x, y] = centre(slot);
      const bonus = this.bonus[slot];
      ctx.beginPath();
      this.hexagon(ctx, x, y, radius * 0.97);
      ctx.fillStyle = colours.card;
      ctx.fill();
      if (bonus && options.bonus) {
        ctx.globalAlpha = 0.08 + 0.11 * bonus.value;
        ctx.fillStyle = colours.seat(bonus.seat);
        ctx.fill();
        ctx.globalAlpha = 1;
      }
      const home = this.homes.get(slot);
      ctx.strokeStyle = home === undefined ? colours.line : colours.seat(home);
      ctx.lineWidth = home === undefined ? 1 : 3;
      ctx.stroke();
      if (bonus && options.bonus && radius > 14) {
        write(ctx, bonus.value, x, y + radius * 0.74, Math.max(radius * 0.24, 9), colours.ink, 500);
        ctx.beginPath();
        traceShape(ctx, shapeOf(bonus.seat, 6), x, y - radius * 0.74, radius * 0.11);
        ctx.fillStyle = colours.seat(bonus.seat);
        ctx.fill();
      }
    });
    this.drawCoins(ctx, view, radius, centre);
  }

  drawCoins(ctx, view, radius, centre) {
    const { colours, part, values, happenings, options } = view;
    const pushes = happenings.filter(({ name, from, to }) => name === 'push' && from !== null && to !== null);
    const moving = new Map(pushes.filter(({ completion }) => completion === 'done').map(({ from, to }) => [from, to]));
    const pile = (x, y, count) => {
      const size = radius * Math.min(0.62, 0.26 + 0.075 * Math.sqrt(count));
      const layers = Math.min(count, 4);
      for (let layer = 0; layer < layers; layer++) {
        ctx.beginPath();
        ctx.ellipse(x, y + (layers / 2 - layer) * size * 0.16, size, size * 0.86, 0, 0, 2 * Math.PI);
        ctx.fillStyle = colours.coin;
        ctx.fill();
        ctx.strokeStyle = colours.coinInk;
        ctx.globalAlpha = 0.75;
        ctx.lineWidth = 1;
        ctx.stroke();
        ctx.globalAlpha = 1;
      }
      write(ctx, count, x, y - (layers / 2 - 0.6) * size * 0.16, Math.max(size * 0.95, 9), colours.coinInk, 750);
    };
    const way = ease(part);
    this.coins.forEach((fact, slot) => {
      const count = isThere(values[fact]) ? values[fact] : 0;
      if (count === 0 || (part > 0 && moving.has(slot))) return;
      pile(...centre(slot), count);
    });
    if (part > 0) {
      for (const [from, to] of moving) {
        const [[x0, y0], [x1, y1]] = [centre(from), centre(to)];
        if (isThere(values[this.coins[from]])) pile(mix(x0, x1, way), mix(y0, y1, way), values[this.coins[from]]);
      }
    }
    if (!options.pushes && part === 0) return;
    const nth = new Map();
    for (const push of pushes) {
      const [[x0, y0], [x1, y1]] = [centre(push.from), centre(push.to)];
      const same = nth.get(push.from) ?? 0;
      nth.set(push.from, same + 1);
      const [dx, dy] = [x1 - x0, y1 - y0];
      const aside = same * 0.22;
      const [sx, sy] = [x0 + dx * 0.42 - dy * aside, y0 + dy * 0.42 + dx * aside];
      const [ex, ey] = [x0 + dx * 1.05 - dy * aside, y0 + dy * 1.05 + dx * aside];
      const lost = push.completion !== 'done';
      ctx.globalAlpha = part > 0 ? 1 - 0.7 * part : 1;
      arrow(ctx, sx, sy, ex, ey, colours, colours.seat(push.seat), Math.max(3, radius * 0.15), lost);
      ctx.beginPath();
      traceShape(ctx, shapeOf(push.seat, 6), sx, sy, Math.max(4, radius * 0.17));
      ctx.fillStyle = colours.seat(push.seat);
      ctx.strokeStyle = colours.card;
      ctx.lineWidth = 1.5;
      ctx.fill();
      ctx.stroke();
      if (lost) cross(ctx, (sx + ex) / 2, (sy + ey) / 2, Math.max(4, radius * 0.16), colours.bad, Math.max(2, radius * 0.08));
      ctx.globalAlpha = 1;
    }
  }

  drawFrame(ctx, view, place, isCursor) {
    const { radius, centre } = this.geometry(view.size);
    ctx.beginPath();
    this.hexagon(ctx, ...centre(place), radius * 0.92);
    ctx.strokeStyle = view.colours.accent;
    ctx.lineWidth = 3;
    ctx.setLineDash(isCursor ? [] : [6, 4]);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  whoIsAt() {
    return [];
  }

  tell(values, place) {
    const count = isThere(values[this.coins[place]]) ? values[this.coins[place]] : 0;
    const bonus = this.bonus[place];
    const worth = bonus ? `each worth ${bonus.value} to seat ${bonus.seat}` : 'of no value to any seat';
    const home = this.homes.get(place);
    return `Slot ${place}: ${plural(count, 'coin')}, ${worth}${home === undefined ? '' : `; home of seat ${home}`}`;
  }
}
