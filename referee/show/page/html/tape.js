// Reads the recorded game inside the page. `tape.rs` writes it and explains the format. No rules are applied here.

/** The value of a fact that is not there. */
const ABSENT = -0x80000000;

/** Unpacks the lines: one for each turn, one for the end of the game, and one with the common parts. */
async function unpack(base64) {
  const bytes = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(base64)
    : Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return (await new Response(stream).text()).trimEnd().split('\n');
}

/** A recorded game: positions, happenings, questions and answers. */
class Tape {
  constructor(lines) {
    Object.assign(this, JSON.parse(lines.pop()));
    this.lines = lines;
    this.kept = new Map();
    this.keys = this.facts.flatMap(([thing, seat, first, count]) =>
      Array.from({ length: count }, (_, more) => ({ thing, seat, index: first === null ? null : first + more })));
    this.numbers = new Map(this.keys.map((key, number) => [keyOf(key.thing, key.seat, key.index), number]));
    this.scoreFacts = this.seats.map((_, seat) => this.fact('score', seat, null));
    // The facts of a seat's players, by index (null for a lone player), and the facts of no seat, by thing and place.
    this.movers = this.seats.map(() => new Map());
    this.places = new Map(this.keys.map(({ thing }) => [thing, new Map()]));
    this.keys.forEach(({ thing, seat, index }, number) => {
      if (seat === null) this.places.get(thing).set(index, number);
      if ((thing === 'row' || thing === 'player') && seat !== null) this.movers[seat].set(index, number);
    });
    this.scan();
  }

  /** Tells whether a happening is a fault of a seat in which nobody is, or follows from it: it says nothing. */
  isOfNobody(kind, seat) {
    return (kind === 'fault' || kind === 'effect') && (this.seats[seat]?.empty ?? false);
  }

  fact(thing, seat, index) {
    return this.numbers.get(keyOf(thing, seat, index));
  }

  /** Goes through the game once: scores, times, verdicts, and what is worth a jump. */
  scan() {
    const { turns, seats } = this;
    this.scores = new Int32Array((turns + 1) * seats.length);
    this.times = new Float32Array(turns * seats.length).fill(-1);
    this.judged = new Uint8Array(turns * seats.length);
    this.marks = [];
    const isMark = ({ kind }) => kind !== 'action' && kind !== 'score';
    for (const { turn, line, values } of this.walk(0, turns)) {
      const start = turn * seats.length;
      this.scoreFacts.forEach((fact, seat) => {
        if (fact !== undefined) this.scores[start + seat] = values[fact];
      });
      line.asked.forEach((seat, place) => {
        if (seats[seat].empty) return;
        this.times[start + seat] = line.thinking[place];
        this.judged[start + seat] = line.verdicts[place] === 'ok' ? 0 : 1;
      });
      for (const { kind, name, secret, seat } of this.read(line, values, isMark)) {
        if (!this.isOfNobody(kind, seat)) this.marks.push({ turn, kind, name, secret, seat });
      }
    }
    this.markTurns = [...new Set(this.marks.map((mark) => mark.turn))];
  }

  /** Returns the line of a turn. It keeps as many lines as there are from one whole position to the next. */
  line(turn) {
    let line = this.kept.get(turn);
    if (!line) {
      line = JSON.parse(this.lines[turn]);
      if (this.kept.size >= this.apart) this.kept.delete(this.kept.keys().next().value);
      this.kept.set(turn, line);
    }
    return line;
  }

  /** Yields each turn with its line and the position before it, which is valid until the next step. */
  *walk(first, last) {
    const values = this.position(first).slice();
    const isFar = last - first > this.apart;
    for (let turn = first; turn <= last; turn++) {
      const line = isFar ? JSON.parse(this.lines[turn]) : this.line(turn);
      yield { turn, line, values };
      this.advance(line, values);
    }
  }

  /** Changes the position before a turn into the one after it. */
  advance({ told, changes }, values) {
    const moved = [];
    let fact = 0;
    for (const row of told) {
      const { has_fact, moves, carries } = this.templates[row[0]];
      if (!has_fact) continue;
      fact += row[1];
      if (!moves && !carries) continue;
      const from = values[fact];
      const to = row[2] === null ? ABSENT : (from === ABSENT ? 0 : from) + row[2];
      if (moves) {
        moved.push(fact, to);
      } else {
        add(values, this.places.get(carries)?.get(from), -1);
        add(values, this.places.get(carries)?.get(to), 1);
      }
    }
    for (let at = 0; at < moved.length; at += 2) values[moved[at]] = moved[at + 1];
    patch(values, changes, ABSENT);
  }

  /** Returns the happenings of a turn whose templates are wanted. */
  read({ told }, values, isWanted = () => true) {
    const happenings = [];
    let fact = 0;
    for (const row of told) {
      const template = this.templates[row[0]];
      if (template.has_fact) fact += row[1];
      if (isWanted(template)) happenings.push(new Happening(this, template, row, fact, values[fact]));
    }
    return happenings;
  }

  /** Returns the position before a turn. It is valid until the next call. */
  position(turn) {
    const start = turn - (turn % this.apart);
    let here = this.here;
    if (!here || here.turn > turn || here.turn < start) {
      here = { turn: start, values: new Int32Array(this.keys.length).fill(ABSENT) };
      this.line(start).position.forEach((value, fact) => (here.values[fact] = value ?? ABSENT));
    }
    for (; here.turn < turn; here.turn++) this.advance(this.line(here.turn), here.values);
    this.here = here;
    return here.values;
  }

  /** Returns the position before a turn, its happenings, and the position after it. */
  turn(turn) {
    const values = this.position(turn).slice();
    const happenings = this.read(this.line(turn), values);
    return { values, happenings, next: this.position(Math.min(turn + 1, this.turns)).slice() };
  }

  happenings(turn) {
    return this.read(this.line(turn), this.position(turn));
  }

  /** A number of a sentence, or what its sign makes of it: the name of a seat's bot, or a cell by row and column. */
  shown(sign, number) {
    if (sign === '@') return this.seats[number].called;
    return sign === '#' ? `row ${Math.floor(number / this.columns)}, column ${number % this.columns}` : number;
  }

  /** Gives `take` all happenings until it returns true. The page stays responsive: there is a pause each 500 turns. */
  async search(take) {
    for (const { turn, line, values } of this.walk(0, this.turns)) {
      for (const happening of this.read(line, values)) if (take(turn, happening)) return;
      if (turn % 500 === 499) await new Promise((go) => setTimeout(go));
    }
  }

  /** Returns the values that a fact had in the last `count` turns, each only where it is new. */
  wayOf(fact, turn, count) {
    return this.once('way', `${fact} ${turn}`, () => {
      const all = Array.from(this.walk(Math.max(0, turn - count), turn), ({ values }) => values[fact]);
      return all.filter((value, index) => value !== ABSENT && value !== all[index - 1]);
    });
  }

  /** Returns the moves in the turns from `start` up to, but not including, `end`. */
  moves(start, end) {
    return this.once('moves', `${start} ${end}`, () => {
      const moves = [];
      for (const { turn, line, values } of this.walk(start, end)) {
        if (turn === end) break;
        const moved = this.read(line, values, ({ name, completion }) => name === 'move' && completion === 'done');
        for (const { seat, index, from, to } of moved) if (from !== to) moves.push({ turn, seat, index, from, to });
      }
      return moves;
    });
  }

  /** Returns the value of a fact before each turn, and at the end. */
  track(fact) {
    return this.once('track', fact, () => {
      const track = new Int32Array(this.turns + 1);
      for (const { turn, values } of this.walk(0, this.turns)) track[turn] = values[fact];
      return track;
    });
  }

  /** Makes a thing, or returns the one made last if its key is the same. */
  once(name, key, make) {
    this.made ??= {};
    if (this.made[name]?.key !== key) this.made[name] = { key, thing: make() };
    return this.made[name].thing;
  }

  /** The share that each seat could expect before a turn, between the turns where it was computed; undefined if it was not. */
  expectedAt(turn) {
    const all = this.expected;
    if (!all) return undefined;
    const next = Math.max(1, all.findIndex(([at]) => at >= turn));
    const [[from, before], [to, after]] = [all[next - 1], all[next]];
    return before.map((share, seat) => mix(share, after[seat], (turn - from) / Math.max(1, to - from)));
  }

  time(turn, seat) {
    return turn < this.turns ? this.times[turn * this.seats.length + seat] : -1;
  }

  verdict(turn, seat) {
    const { asked, verdicts } = this.line(turn);
    return verdicts[asked.indexOf(seat)];
  }

  score(turn, seat) {
    return this.scores[turn * this.seats.length + seat];
  }

  /** Returns the answers of a turn, one for each seat that was asked. */
  replies(turn) {
    const { asked, verdicts, thinking, waited, answers, details = [], dropped = [] } = this.line(turn);
    return asked.map((seat, place) => ({
      seat,
      verdict: verdicts[place],
      thinking: thinking[place],
      wall: thinking[place] + waited[place],
      integers: answers[place] === '' ? [] : answers[place].split(' '),
      detail: details.find(([of]) => of === seat)?.[1] ?? '',
      dropped: dropped.filter(([of]) => of === seat).map(([, kind, count]) => [kind, count]),
    }));
  }

  /** Returns the question of a turn to a seat, as it was sent; null if it was not asked. */
  question(turn, seat) {
    const place = this.line(turn).asked.indexOf(seat);
    if (place < 0) return null;
    const { text, integers } = this.asked(turn, place);
    return text ?? integers.join(' ');
  }

  asked(turn, place) {
    const line = this.line(turn);
    const given = line.questions[place];
    if (given.text !== undefined) return { ...given, integers: given.text.split(' ').map(Number) };
    if (given.like) {
      const { integers } = this.asked(turn, place - 1);
      patch(integers, given.like);
      return { integers };
    }
    // From the seat's last whole question on. The parts that repeat the position are taken from it.
    let question = null;
    for (let now = turn - (turn % this.apart); now < turn; now++) {
      const { asked, questions } = this.line(now);
      const before = questions[asked.indexOf(line.asked[place])];
      if (before?.text !== undefined) question = { ...before, integers: before.text.split(' ').map(Number) };
      else if (Array.isArray(before)) patch(question.integers, before);
    }
    const values = this.position(turn);
    for (const [fact, first, count] of question.repeats) {
      const repeated = Array.from(values.subarray(fact, fact + count), (value) => (isThere(value) ? value : 0));
      question.integers.splice(first, count, ...repeated);
    }
    patch(question.integers, given);
    return { integers: question.integers };
  }
}

/** A happening. Its template is filled when it is read. */
class Happening {
  constructor(tape, template, row, fact, value) {
    const { kind, name, completion, secret } = template;
    const key = tape.keys[fact];
    Object.assign(this, { tape, kind, name, completion, secret, template, row, fact });
    this.seat = this.index = this.from = this.to = null;
    this.rest = 1;
    if (template.has_fact) {
      [this.index, this.seat, this.from] = [key.index, key.seat, value === ABSENT ? null : value];
      this.rest = 2;
    }
    for (const field of template.given) this[field] = row[this.rest++];
    if (this.to !== null && this.from !== null) this.to += this.from;
  }

  get words() {
    let rest = this.rest;
    if (this.template.words === '') return this.row[rest];
    return this.template.words.replace(/\{([@#]?)(\w*)\}/g, (_, sign, field) => this.tape.shown(sign, field ? this[field] : this.row[rest++]));
  }
}

/** Adds to a pile. An empty pile is absent. */
function add(values, fact, gain) {
  if (fact !== undefined) values[fact] = ((values[fact] === ABSENT ? 0 : values[fact]) + gain) || ABSENT;
}

/** Applies changes to a list of numbers: how many stay, the gain of the next one (null removes it), and so on. */
function patch(values, changes, absent) {
  let at = 0;
  for (let change = 0; change < changes.length; change += 2, at++) {
    at += changes[change];
    const gain = changes[change + 1];
    values[at] = gain === null ? absent : (values[at] === absent ? 0 : values[at]) + gain;
  }
}

function keyOf(thing, seat, index) {
  return `${thing}/${seat ?? ''}/${index ?? ''}`;
}
