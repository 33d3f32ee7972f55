// Reads the recorded game that stands in the page: tape.rs writes it, and says how. It plays no rules.

/** The value of a fact that is not there. */
const ABSENT = -0x80000000;

/** A position is remembered every so many turns. */
const APART = 64;

/** Reads numbers of seven bits a byte. */
class Column {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  number() {
    let byte = this.bytes[this.at++];
    if (byte < 0x80) return byte;
    let number = byte & 0x7f;
    let scale = 0x80;
    do {
      byte = this.bytes[this.at++];
      number += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80);
    return number;
  }

  signed() {
    const folded = this.number();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  }

  /** Reads an integer of any size, as text: bots may answer what no number here can hold. */
  text() {
    let end = this.at;
    while (this.bytes[end] >= 0x80) end++;
    if (end - this.at < 7) return String(this.signed());
    let folded = 0n;
    for (let at = end; at >= this.at; at--) folded = folded * 128n + BigInt(this.bytes[at] & 0x7f);
    this.at = end + 1;
    return String(folded % 2n === 0n ? folded / 2n : -(folded + 1n) / 2n);
  }
}

async function inflate(base64) {
  const bytes = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(base64)
    : Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A recorded game: every position, what led from one to the next, and what was asked and answered. */
class Tape {
  constructor(head, bytes) {
    Object.assign(this, head);
    let start = 0;
    const columns = head.columns.map((length) => bytes.subarray(start, (start += length)));
    [this.deedBytes, this.changeBytes, this.timeBytes, this.answerBytes, this.askedBytes] = columns;
    this.keys = head.facts.flatMap(([thing, seat, first, count]) =>
      Array.from({ length: count }, (_, more) => ({ thing, seat, index: first === null ? null : first + more })));
    this.numbers = new Map(this.keys.map((key, number) => [keyOf(key.thing, key.seat, key.index), number]));
    this.scoreFacts = this.seats.map((_, seat) => this.fact('score', seat, null));
    // Where a seat's players stand, by their index, the first for a seat that is one player; likewise the balls on each cell.
    this.movers = this.seats.map((_, seat) => new Map());
    this.balls = new Map();
    this.keys.forEach(({ thing, seat, index }, number) => {
      if (thing === 'balls') this.balls.set(index, number);
      if ((thing === 'row' || thing === 'player') && seat !== null) this.movers[seat].set(index, number);
    });
    this.layouts = this.readLayouts(new Column(columns[5]));
    this.scan();
  }

  fact(thing, seat, index) {
    return this.numbers.get(keyOf(thing, seat, index));
  }

  readLayouts(column) {
    return this.seats.map(() => {
      let before = 0;
      return Int32Array.from({ length: column.number() }, () => (before += column.signed()));
    });
  }

  /** Goes through the game once: scores, times, verdicts, what is worth a jump, and positions to start from. */
  scan() {
    const { turns, seats } = this;
    this.scores = new Int32Array((turns + 1) * seats.length);
    this.times = new Float32Array(turns * seats.length).fill(-1);
    this.judged = new Uint8Array(turns * seats.length);
    this.marks = [];
    this.stills = [];
    const cursor = this.cursor();
    cursor.change();
    const times = new Column(this.timeBytes);
    const marking = this.patterns.map(({ kind, name, secret }) => (kind !== 'deed' && kind !== 'score' ? { kind, name, secret } : null));
    for (let turn = 0; turn <= turns; turn++) {
      if (turn % APART === 0) this.stills.push(cursor.still());
      this.scoreFacts.forEach((fact, seat) => {
        if (fact !== undefined) this.scores[turn * seats.length + seat] = cursor.values[fact];
      });
      if (turn === turns) break;
      let next = 0;
      for (let asked = times.number(); asked > 0; asked--) {
        const seat = next + times.signed();
        next = seat + 1;
        this.judged[turn * seats.length + seat] = times.number();
        this.times[turn * seats.length + seat] = times.number();
        times.number();
      }
      cursor.deeds((pattern, seat, index, from, to) => {
        const mark = marking[pattern];
        if (mark) this.marks.push({ turn, pattern, seat, index, from, to, ...mark });
      });
      cursor.change();
    }
    this.markTurns = [...new Set(this.marks.map((mark) => mark.turn))];
  }

  cursor(still) {
    return new Cursor(this, still);
  }

  /** Returns the position after so many turns. */
  position(turn) {
    return this.at(turn).values;
  }

  /** Returns a cursor that has come to a turn. It is used again: whoever goes on with it takes a copy. */
  at(turn) {
    const start = Math.floor(turn / APART);
    const cached = this.last;
    const near = cached && cached.turn <= turn && cached.turn >= start * APART;
    const cursor = near ? cached.cursor : this.cursor(this.stills[start]);
    for (let now = near ? cached.turn : start * APART; now < turn; now++) {
      cursor.deeds(() => {});
      cursor.change();
    }
    this.last = { turn, cursor };
    return cursor;
  }

  /** Returns the position before a turn, what happened in it, and the position after it. */
  turn(turn) {
    const cursor = this.at(turn).copy();
    const values = cursor.values.slice();
    if (turn >= this.turns) return { values, happenings: [], next: values };
    const happenings = [];
    cursor.deeds((...deed) => happenings.push(new Happening(this, ...deed)));
    cursor.change();
    this.last = { turn: turn + 1, cursor };
    return { values, happenings, next: cursor.values.slice() };
  }

  happenings(turn) {
    return this.turn(turn).happenings;
  }

  words(pattern, values, others) {
    const { text, numbers } = this.patterns[pattern];
    let words = text[0];
    let other = 0;
    numbers.forEach((place, index) => {
      words += (place < 4 ? values[place] : others[other++]) + text[index + 1];
    });
    return words;
  }

  /** Goes through all deeds, a few thousand turns at a time; stops when `take` returns true. */
  async search(take) {
    let turn = 0;
    const cursor = this.cursor(this.stills[0]);
    while (turn < this.turns) {
      const until = Math.min(turn + 2000, this.turns);
      let enough = false;
      for (; turn < until && !enough; turn++) {
        cursor.deeds((pattern, seat, index, from, to, others) => {
          enough = take(turn, pattern, [seat, index, from, to], others) || enough;
        });
        cursor.change();
      }
      if (enough) return;
      await new Promise((go) => setTimeout(go));
    }
  }

  /** Returns what a fact was in the last turns. */
  wayOf(fact, turn, count) {
    const key = `${fact} ${turn}`;
    if (this.lastWay?.key === key) return this.lastWay.way;
    const start = Math.max(0, turn - count);
    const cursor = this.at(start).copy();
    const way = [];
    for (let now = start; now <= turn; now++) {
      if (cursor.values[fact] !== ABSENT && cursor.values[fact] !== way.at(-1)) way.push(cursor.values[fact]);
      if (now === turn) break;
      cursor.deeds(() => {});
      cursor.change();
    }
    this.lastWay = { key, way };
    return way;
  }

  /** Returns the moves of some turns, the last of which is not among them. */
  moves(start, end) {
    const key = `${start} ${end}`;
    if (this.lastMoves?.key === key) return this.lastMoves.moves;
    const cursor = this.at(start).copy();
    const moves = [];
    for (let turn = start; turn < end; turn++) {
      cursor.deeds((pattern, seat, index, from, to) => {
        const { name, upshot } = this.patterns[pattern];
        if (name === 'move' && upshot === 'done' && from !== to) moves.push({ turn, seat, index, from, to });
      });
      cursor.change();
    }
    this.lastMoves = { key, moves };
    return moves;
  }

  /** Returns what a fact was in all turns. */
  track(fact) {
    this.tracks ??= new Map();
    if (!this.tracks.has(fact)) {
      const track = new Int32Array(this.turns + 1);
      const cursor = this.cursor(this.stills[0]);
      for (let turn = 0; ; turn++) {
        track[turn] = cursor.values[fact];
        if (turn === this.turns) break;
        cursor.deeds(() => {});
        cursor.change();
      }
      this.tracks.set(fact, track);
    }
    return this.tracks.get(fact);
  }

  time(turn, seat) {
    return turn < this.turns ? this.times[turn * this.seats.length + seat] : -1;
  }

  verdict(turn, seat) {
    return this.verdicts[this.judged[turn * this.seats.length + seat]];
  }

  score(turn, seat) {
    return this.scores[turn * this.seats.length + seat];
  }

  /** Returns what was asked and answered in a turn, for each seat that was asked. */
  replies(turn) {
    if (turn >= this.turns) return [];
    const start = this.replyPlaces ??= this.findReplies();
    const [time, answer] = [new Column(this.timeBytes), new Column(this.answerBytes)];
    time.at = start.times[turn];
    answer.at = start.answers[turn];
    let next = 0;
    return Array.from({ length: time.number() }, () => {
      const seat = next + time.signed();
      next = seat + 1;
      const verdict = this.verdicts[time.number()];
      const thinking = time.number();
      const wall = thinking + time.signed();
      const integers = Array.from({ length: answer.number() }, () => answer.text());
      const detail = this.texts[answer.number() - 1] ?? '';
      const dropped = Array.from({ length: answer.number() }, () => [this.verdicts[answer.number()], answer.number()]);
      return { seat, verdict, thinking, wall, integers, detail, dropped };
    });
  }

  findReplies() {
    const [time, answer] = [new Column(this.timeBytes), new Column(this.answerBytes)];
    const places = { times: new Uint32Array(this.turns), answers: new Uint32Array(this.turns) };
    for (let turn = 0; turn < this.turns; turn++) {
      places.times[turn] = time.at;
      places.answers[turn] = answer.at;
      for (let asked = time.number(); asked > 0; asked--) {
        for (let skip = 0; skip < 4; skip++) time.number();
        for (let integers = answer.number(); integers > 0; integers--) answer.number();
        answer.number();
        for (let dropped = 2 * answer.number(); dropped > 0; dropped--) answer.number();
      }
    }
    return places;
  }

  /** Returns the question of a turn to a seat, as it was sent; null if it was not asked. */
  question(turn, seat) {
    if (turn >= this.turns || this.time(turn, seat) < 0) return null;
    if (this.asking?.of !== turn) {
      this.askings ??= [{ turn: 0, asked: 0, time: 0, before: this.seats.map(() => []) }];
      const start = this.askings.findLast((asking) => asking.turn <= turn);
      const near = this.asking && this.asking.turn > start.turn && this.asking.turn <= turn;
      this.asking = this.readQuestions(near ? this.asking : start, turn);
    }
    const told = this.asking.told.get(seat);
    const values = this.position(turn);
    const valueOf = (fact) => (values[fact] === undefined || values[fact] === ABSENT ? 0 : values[fact]);
    return Array.from({ length: told.length }, (_, index) => {
      if (told.values.has(index)) return told.values.get(index);
      const source = this.layouts[seat][index] ?? 0;
      if (source === 0) return this.asking.before[seat][index] ?? '0';
      if (source === 1) return turn;
      const value = valueOf((source - 2) >> 1);
      return source % 2 === 0 ? value : 0 - value;
    }).join(' ');
  }

  /** Reads all questions from a turn to another: what does not follow from the position follows from the questions before. */
  readQuestions(from, turn) {
    const [asked, time] = [new Column(this.askedBytes), new Column(this.timeBytes)];
    asked.at = from.asked;
    time.at = from.time;
    const before = from.before.map((values) => values.slice());
    let told;
    for (let now = from.turn; now <= turn; now++) {
      if (now % 1024 === 0 && now > this.askings.at(-1).turn) {
        this.askings.push({ turn: now, asked: asked.at, time: time.at, before: before.map((values) => values.slice()) });
      }
      told = new Map();
      let next = 0;
      for (let count = time.number(); count > 0; count--) {
        const seat = next + time.signed();
        next = seat + 1;
        for (let skip = 0; skip < 3; skip++) time.number();
        const length = asked.number();
        const values = new Map();
        before[seat].length = length;
        let index = 0;
        for (let differing = asked.number(); differing > 0; differing--) {
          index += asked.number();
          const value = asked.text();
          values.set(index, value);
          before[seat][index++] = value;
        }
        told.set(seat, { length, values });
      }
    }
    return { of: turn, turn: turn + 1, asked: asked.at, time: time.at, before, told };
  }
}

/** One thing that happened. Its words are put together when they are asked for. */
class Happening {
  constructor(tape, pattern, seat, index, from, to, others) {
    const { kind, name, upshot, secret } = tape.patterns[pattern];
    Object.assign(this, { kind, name, upshot, secret, seat, index, from, to });
    this.sentence = { tape, pattern, others: others.slice() };
  }

  get words() {
    const { tape, pattern, others } = this.sentence;
    return tape.words(pattern, [this.seat, this.index, this.from, this.to], others);
  }
}

/** Goes through the turns, one after the other, and knows the position. */
class Cursor {
  constructor(tape, still) {
    this.tape = tape;
    this.values = still ? still.values.slice() : new Int32Array(tape.keys.length).fill(ABSENT);
    this.known = still ? still.known : 0;
    this.deedColumn = new Column(tape.deedBytes);
    this.changeColumn = new Column(tape.changeBytes);
    this.deedColumn.at = still ? still.deed : 0;
    this.changeColumn.at = still ? still.change : 0;
  }

  still() {
    return { values: this.values.slice(), known: this.known, deed: this.deedColumn.at, change: this.changeColumn.at };
  }

  copy() {
    return new Cursor(this.tape, this.still());
  }

  /** Reads what happened in the turn, and moves what it moves. */
  deeds(take) {
    const { tape, deedColumn: column, values } = this;
    let [lastSeat, lastIndex, lastFrom, lastTo] = [0, null, null, null];
    const others = [];
    for (let count = column.number(); count > 0; count--) {
      const number = column.number();
      const pattern = tape.patterns[number];
      const [hasSeat, hasIndex, hasFrom, hasTo] = pattern.has;
      let [seat, index, from, to] = [null, null, null, null];
      if (hasSeat) seat = lastSeat + column.signed();
      if (hasIndex) index = (seat === lastSeat && lastIndex !== null ? lastIndex + 1 : 0) + column.signed();
      const mover = seat === null ? undefined : tape.movers[seat].get(index);
      const stands = mover !== undefined && mover < this.known && values[mover] !== ABSENT ? values[mover] : null;
      if (hasFrom) from = (stands ?? lastFrom ?? 0) + column.signed();
      if (hasTo) to = (from ?? lastTo ?? 0) + column.signed();
      others.length = 0;
      for (const place of pattern.numbers) if (place === 4) others.push(column.signed());
      take(number, seat, index, from, to, others);
      if (pattern.upshot === 'done') this.carry(pattern.name, seat, from, to, mover);
      lastSeat = seat ?? lastSeat;
      lastIndex = index;
      lastFrom = from ?? lastFrom;
      lastTo = to ?? lastTo;
    }
  }

  carry(name, seat, from, to, mover) {
    const { values, known, tape } = this;
    if (name === 'step' || name === 'move') {
      if (mover !== undefined && mover < known) values[mover] = to ?? ABSENT;
    } else if (name === 'score') {
      const fact = tape.scoreFacts[seat];
      if (fact !== undefined && fact < known) values[fact] = to ?? ABSENT;
    } else if (name === 'kick') {
      this.add(tape.balls.get(from), -1);
      this.add(tape.balls.get(to), 1);
    }
  }

  add(fact, gain) {
    if (fact === undefined || fact >= this.known) return;
    const before = this.values[fact];
    this.values[fact] = ((before === ABSENT ? 0 : before) + gain) || ABSENT;
  }

  /** Reads what else has changed. */
  change() {
    const { changeColumn: column, values } = this;
    let fact = 0;
    for (let count = column.number(); count > 0; count--) {
      fact += column.number();
      const folded = column.number();
      if (folded === 0) {
        values[fact] = ABSENT;
      } else {
        const gain = (folded - 1) % 2 === 0 ? (folded - 1) / 2 : -folded / 2;
        values[fact] = (values[fact] === ABSENT ? 0 : values[fact]) + gain;
      }
      if (fact >= this.known) this.known = fact + 1;
      fact++;
    }
  }
}

function keyOf(thing, seat, index) {
  return `${thing}/${seat ?? ''}/${index ?? ''}`;
}
