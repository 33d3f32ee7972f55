// The words and tables of the page: of the game, of a turn, of a cell or a player.

/** Maximum number of lines in a list. */
const LINES = 250;

/** Letters that are written from right to left, and their digits. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name. One from right to left is set apart, so that words and numbers around it keep their places. */
const apart = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

const one = (id) => document.getElementById(id);

/** The part of the page that writes. */
class Teller {
  // Parts that do not change.

  write() {
    const { tape, board } = this;
    one('about').textContent = `${board.title} · ${plural(tape.turns, 'turn')}${tape.end ? '' : ' · given up'}`;
    one('legend').textContent = board.legend;
    one('moment').classList.toggle('two', tape.expected !== undefined);
    this.writeResult();
    for (const { id, label, on } of board.options) {
      const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: on, id: `option-${id}` });
      box.addEventListener('change', () => {
        this.options[id] = box.checked;
        this.shown = null;
        this.show();
      });
      const frame = document.createElement('label');
      frame.append(box, label);
      one('options').append(frame);
    }
    one('speed').append(new Option('auto', 0), ...SPEEDS.map((speed) => new Option(`${speed}/s`, speed)));
    one('speed').value = this.speed;
    one('turn').max = tape.turns;
    one('of').textContent = `of ${tape.turns}`;
    one('timeline').setAttribute('aria-valuemax', tape.turns);
    const kinds = [...new Set(tape.marks.map((mark) => (mark.kind === 'fault' ? 'fault' : mark.name)))];
    one('kinds').append(new Option('all', ''), ...kinds.map((kind) => new Option(kind.replaceAll('_', ' '), kind)));
    this.writeSeats();
    this.writeRecord();
    one('who-index-label').hidden = !board.hasPlayers;
    one('who-place-name').textContent = board.placeName;
    one('who-place').min = board.lowest ?? 0;
    one('who-place').max = (board.lowest ?? 0) + board.places - 1;
  }

  /** Who has won, why the game ended, the scores, and the turns that are worth a look, each with a link. It opens at the end. */
  writeResult() {
    const { tape } = this;
    one('outcome').hidden = !tape.result;
    if (!tape.result) return;
    one('result').append(tape.result);
    for (const [turn, words] of this.moments) {
      one('result').append(' ', Object.assign(document.createElement('a'), { href: `#turn=${turn}`, textContent: `Turn ${turn}: ${words}` }));
    }
  }

  /** The words of a board about a place, with bots by their names. */
  named(words) {
    return words.replace(/\bseat (\d+)\b/g, (all, seat) => this.tape.seats[seat]?.called ?? all);
  }

  nameOf(seat) {
    return `Seat ${seat}, ${apart(this.tape.seats[seat].name)}`;
  }

  writeSeats() {
    const { tape } = this;
    one('who-seat').append(new Option('none', ''));
    this.rows = tape.seats.map((bot, seat) => {
      one('who-seat').append(new Option(`${seat}, ${apart(bot.name)}`, seat));
      const row = one('seats').insertRow();
      const head = Object.assign(document.createElement('th'), { scope: 'row' });
      const label = Object.assign(document.createElement('span'), { className: 'seat' });
      label.append(swatch(seat, tape.seats.length), String(seat));
      head.append(label);
      row.append(head);
      const name = row.insertCell();
      name.append(Object.assign(document.createElement('div'), { className: 'bot', textContent: bot.name, title: `${apart(bot.name)}, version ${bot.version}` }));
      const score = Object.assign(row.insertCell(), { className: 'number' });
      const think = row.insertCell();
      const box = Object.assign(document.createElement('div'), { className: 'think' });
      const bar = document.createElement('i');
      const fill = document.createElement('b');
      const text = document.createElement('span');
      bar.append(fill);
      box.append(bar, text);
      think.append(box);
      const verdict = Object.assign(row.insertCell(), { className: 'verdict' });
      return { score, fill, text, verdict };
    });
  }

  writeRecord() {
    const { tape } = this;
    const panel = one('record');
    const list = (entries) => {
      const all = document.createElement('dl');
      for (const [term, text] of entries) {
        all.append(Object.assign(document.createElement('dt'), { textContent: term }), Object.assign(document.createElement('dd'), { textContent: text }));
      }
      return all;
    };
    const heading = (text, seat) => {
      const element = document.createElement('h3');
      if (seat !== undefined) element.append(swatch(seat, tape.seats.length));
      element.append(text);
      return element;
    };
    panel.append(heading('Game'), list([['game', tape.game], ['rules', `${tape.rules}, version ${tape.version}`], ['seed', tape.seed], ['turns', tape.turns]]));
    const settings = document.createElement('details');
    settings.append(Object.assign(document.createElement('summary'), { textContent: 'Settings' }), list(tape.settings));
    panel.append(settings);
    tape.seats.forEach((bot, seat) => {
      panel.append(heading(`${this.nameOf(seat)} (version ${bot.version})`, seat));
      const result = bot.score === null ? [] : [['score', bot.score], ['share', bot.share.toFixed(3)], ['place', bot.place]];
      panel.append(list([...result, ['program', bot.digest]]));
      if (bot.errors) {
        panel.append(Object.assign(document.createElement('p'), { textContent: 'Standard error:' }));
        panel.append(Object.assign(document.createElement('pre'), { textContent: bot.errors, tabIndex: 0 }));
      }
    });
  }

  // Parts that change with the turn.

  /** Writes the words of the turn: of each one while paused, a few times a second while playing. */
  tell(now) {
    if (this.shown === this.turn || (this.playing && now - (this.told ?? 0) < 120)) return;
    this.shown = this.turn;
    this.told = now;
    const { tape, turn } = this;
    if (document.activeElement !== one('turn')) one('turn').value = turn;
    // A screen reader would read out each of these, so only while paused.
    if (!this.playing) {
      one('timeline').setAttribute('aria-valuenow', turn);
      one('timeline').setAttribute('aria-valuetext', this.summary());
      one('board').setAttribute('aria-label', `Board. ${this.summary()}`);
    }
    this.steps = this.options.secrets ? this.board.steps?.(tape.position(turn)) : undefined;
    if (!this.timeline.hasScores) one('score-head').textContent = this.steps && turn < tape.turns ? 'Steps' : 'At the end';
    this.rows.forEach((row, seat) => this.tellSeat(row, seat));
    this.tellMoment();
    if (turn === tape.turns) one('outcome').open = true;
    if (this.playing && this.tempo > 8) return;
    this.tellPanel();
  }

  /** The highlight of the turn or just before, and the share that each seat could expect, where that was computed. */
  tellMoment() {
    const { turn, moments, tape } = this;
    const at = [turn, turn - 1, turn - 2].find((near) => moments.has(near));
    const told = at === undefined ? [] : [`Turn ${at}: ${moments.get(at)}.`];
    const expected = tape.expectedAt(turn);
    if (expected) {
      const order = [...expected.keys()].sort((one, other) => expected[other] - expected[one]).slice(0, 4);
      told.push(`Expected share: ${order.map((seat) => `${tape.seats[seat].called} ${Math.round(100 * expected[seat])} %`).join(', ')}`);
    }
    one('moment').textContent = told.join(' ');
  }

  tellSeat(row, seat) {
    const { tape, turn } = this;
    const bot = tape.seats[seat];
    const over = turn === tape.turns;
    row.score.textContent = this.timeline.hasScores ? tape.score(turn, seat) : over ? (bot.score ?? '') : (this.steps?.[seat] ?? '');
    if (over && bot.place !== null) {
      row.score.append(Object.assign(document.createElement('span'), { className: 'place', textContent: ` ${ordinal(bot.place)}` }));
    }
    // Where not all seats are asked in each turn, a seat's last answer is shown until its next.
    let when = turn;
    while (when > 0 && when > turn - 200 && tape.time(when, seat) < 0) when--;
    const time = over ? -1 : tape.time(when, seat);
    const limit = tape.limits[2] ?? (when === 0 ? tape.limits[1] : tape.limits[0]);
    row.text.textContent = time < 0 ? '' : span(time);
    row.fill.style.width = time < 0 ? '0' : `${Math.min(100, Math.max(2, (100 * time) / limit))}%`;
    const verdict = time < 0 ? '' : tape.verdict(when, seat);
    row.verdict.textContent = verdict.replaceAll('_', ' ');
    row.verdict.classList.toggle('bad', verdict !== '' && verdict !== 'ok');
  }

  summary() {
    const { tape, turn } = this;
    const scores = this.timeline.hasScores ? `; scores ${tape.seats.map((_, seat) => tape.score(turn, seat)).join(', ')}` : '';
    return `Turn ${turn} of ${tape.turns}${scores}`;
  }

  /** The happenings of the turn, the most noteworthy first; secret ones only if the viewer asks for them. */
  lines() {
    const order = ['end', 'fall', 'effect', 'fault', 'score', 'action'];
    return this.happenings.filter((line) => !this.tape.isOfNobody(line.kind, line.seat) && (!line.secret || this.options.secrets)).sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
  }

  tellPanel() {
    const panel = document.querySelector('[role="tabpanel"]:not([hidden])').id;
    if (panel === 'events') this.tellEvents();
    if (panel === 'talk') this.tellTalk();
    if (panel === 'story') this.tellStory();
  }

  /** The title after the last turn. A game that is still being played, or was given up, has no end. */
  overTold() {
    return this.tape.end ? 'The game is over' : 'The record ends here';
  }

  tellEvents() {
    const { tape, turn } = this;
    const lines = this.lines();
    one('events-title').textContent = turn === tape.turns ? this.overTold() : `What happens in turn ${turn}`;
    const room = this.playing ? 30 : LINES;
    const shown = lines.slice(0, room).map((line) => this.item(line));
    if (lines.length === 0) shown.push(this.item({ kind: 'action', completion: 'done', seat: null, words: 'Nothing moves' }));
    if (lines.length > room) shown.push(this.item({ kind: 'action', completion: 'done', seat: null, words: `and ${lines.length - room} more` }));
    one('events-list').replaceChildren(...shown);
    this.tellWritten();
  }

  /** What bots wrote to standard error in the turn, where the page has it. */
  tellWritten() {
    const { tape, turn } = this;
    const parts = tape.seats.flatMap(({ wrote }, seat) => {
      const found = wrote?.find(([when]) => when === turn);
      if (!found) return [];
      const head = document.createElement('h3');
      head.append(swatch(seat, tape.seats.length), `Standard error of ${tape.seats[seat].called}`);
      return [head, Object.assign(document.createElement('pre'), { textContent: found[1], tabIndex: 0 })];
    });
    one('wrote').replaceChildren(...parts);
  }

  item({ kind, completion, seat, words }) {
    const item = document.createElement('li');
    item.className = `${kind} ${completion}`;
    if (seat !== null) item.append(swatch(seat, this.tape.seats.length));
    item.append(words);
    return item;
  }

  tellTalk() {
    const { tape, turn } = this;
    const parts = tape.replies(turn).filter(({ seat }) => !tape.seats[seat].empty).flatMap((reply) => {
      const head = document.createElement('h3');
      head.append(swatch(reply.seat, tape.seats.length), this.nameOf(reply.seat));
      const wall = reply.wall !== reply.thinking ? `, ${span(reply.wall)} elapsed` : '';
      head.append(Object.assign(document.createElement('span'), { textContent: `${reply.verdict.replaceAll('_', ' ')}, ${span(reply.thinking)}${wall}` }));
      const list = document.createElement('dl');
      const add = (term, text, isCode) => {
        const place = document.createElement('dd');
        place.append(isCode ? Object.assign(document.createElement('code'), { textContent: text, tabIndex: 0 }) : text);
        list.append(Object.assign(document.createElement('dt'), { textContent: term }), place);
      };
      add('question', tape.question(turn, reply.seat), true);
      add('answer', reply.integers.length ? reply.integers.join(' ') : 'none', reply.integers.length > 0);
      if (reply.detail) add('fault', reply.detail);
      for (const [kind, count] of reply.dropped) add('dropped', `${plural(count, 'line')} as ${kind}`);
      return [head, list];
    });
    if (parts.length === 0) parts.push(Object.assign(document.createElement('p'), { textContent: `${this.overTold()}: no questions.` }));
    one('talk').replaceChildren(...parts);
  }

  speak() {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => {
      if (this.playing) return;
      const lines = this.lines();
      const told = lines.slice(0, 6).map(({ words }) => words);
      if (lines.length > 6) told.push(`and ${lines.length - 6} more`);
      one('live').textContent = `${this.summary()}. ${told.join('. ')}.`;
    }, 350);
  }

  // Stories of cells and players.

  choose(pick) {
    this.pick = pick;
    one('who-seat').value = pick?.seat ?? '';
    one('who-index').value = pick?.index ?? '';
    one('who-place').value = pick?.place ?? '';
    this.open('story');
    this.gather();
    this.shown = null;
    this.show();
  }

  async gather() {
    const { tape, pick } = this;
    this.story = null;
    this.tellStory();
    if (!pick) return;
    const found = [];
    const isOfPick = pick.place !== undefined
      ? ({ from, to }) => from === pick.place || to === pick.place
      : ({ seat, index }) => seat === pick.seat && (pick.index === undefined || pick.index === null || index === pick.index);
    await tape.search((turn, happening) => {
      if (isOfPick(happening) && (!happening.secret || this.options.secrets)) found.push({ turn, happening });
      return this.pick !== pick || found.length >= 200000;
    });
    if (this.pick !== pick) return;
    this.story = found;
    this.tellStory();
    if (!this.playing) one('live').textContent = `${one('story-title').textContent}. ${one('story-note').textContent}`;
  }

  tellStory() {
    const { tape, pick, turn, story } = this;
    if (!pick) return;
    const here = pick.place !== undefined;
    one('story-title').textContent = here
      ? this.named(this.board.tell(tape.position(turn), pick.place))
      : this.nameOf(pick.seat) + (pick.index === null || pick.index === undefined ? '' : `: player ${pick.index}`);
    if (!story) {
      one('story-note').textContent = 'Searching …';
      one('story-list').replaceChildren();
      return;
    }
    const SHOWN = 120;
    const middle = story.findIndex((line) => line.turn >= turn);
    const start = Math.max(0, Math.min(story.length - SHOWN, (middle < 0 ? story.length : middle) - 10));
    const lines = story.slice(start, start + SHOWN);
    one('story-note').textContent = `${plural(story.length, 'event')} in the game${story.length > SHOWN ? `; the list shows those around turn ${turn}` : ''}.`;
    one('story-list').replaceChildren(...lines.map(({ turn: when, happening }) => {
      const item = this.item(happening);
      const jump = Object.assign(document.createElement('button'), { type: 'button', textContent: when });
      jump.setAttribute('aria-label', `Go to turn ${when}`);
      jump.addEventListener('click', () => this.go(when));
      item.querySelector('svg')?.after(jump);
      if (!jump.parentNode) item.prepend(jump);
      return item;
    }));
  }

  open(name) {
    for (const tab of document.querySelectorAll('[role="tab"]')) {
      const isOpen = tab.id === `tab-${name}`;
      tab.setAttribute('aria-selected', isOpen);
      tab.tabIndex = isOpen ? 0 : -1;
      one(tab.getAttribute('aria-controls')).hidden = !isOpen;
    }
    this.tellPanel();
  }
}

/** A time for people, from microseconds. */
function span(us) {
  if (us < 1000) return `${Math.round(us)} µs`;
  if (us < 1e6) return `${(us / 1000).toFixed(us < 1e4 ? 2 : 1)} ms`;
  return `${(us / 1e6).toFixed(2)} s`;
}

function ordinal(number) {
  const rest = number % 100;
  const ending = rest > 10 && rest < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}
