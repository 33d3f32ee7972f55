// The page: what it shows of the tape, and what keys, mouse and fingers do.

const BOARDS = { football: FootballBoard, push: PushBoard, foosball: FoosballBoard, target: TargetBoard };

/** Turns a second. */
const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Beyond this many turns a second nothing is to be seen between two turns. */
const SMOOTH = 40;

/** So many lines are written into a list at most. */
const LINES = 250;

const one = (id) => document.getElementById(id);

class App {
  constructor(tape) {
    this.tape = tape;
    this.board = new BOARDS[tape.rules](tape);
    this.time = 0;
    this.speed = tape.turns > 400 ? 4 : 2;
    this.playing = false;
    this.pick = null;
    this.cursor = null;
    this.options = Object.fromEntries(this.board.options.map(({ id, on }) => [id, on]));
    this.still = window.matchMedia('(prefers-reduced-motion: reduce)');
    this.dark = window.matchMedia('(prefers-color-scheme: dark)');
    this.theme = 'auto';
    this.frameTimes = [];
    this.timeline = new Timeline(tape, one('curves'));
    this.write();
    this.listen();
    this.paint();
    this.go(0);
  }

  get turn() {
    return Math.min(this.tape.turns, Math.floor(this.time));
  }

  // What stays as it is.

  write() {
    const { tape, board } = this;
    const title = { football: 'Parallel Football', push: 'Push', foosball: 'comFoosball', target: 'Invisible Target' }[tape.rules];
    one('game').textContent = title;
    const set = tape.parameters.map(([name, value]) => `${name} ${value}`).join(', ');
    one('about').textContent = `${tape.game} · ${plural(tape.turns, 'turn')}${tape.end ? ` · ${tape.end.replaceAll('_', ' ')}` : ' · given up'} · ${set}`;
    one('legend').textContent = board.legend;
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
    for (const speed of SPEEDS) one('speed').append(new Option(`${speed}/s`, speed));
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

  nameOf(seat) {
    return `Seat ${seat}, ${this.tape.seats[seat].name}`;
  }

  writeSeats() {
    const { tape } = this;
    if (!this.timeline.hasScores) one('score-head').textContent = 'At the end';
    one('who-seat').append(new Option('none', ''));
    this.rows = tape.seats.map((bot, seat) => {
      one('who-seat').append(new Option(`${seat}, ${bot.name}`, seat));
      const row = one('seats').insertRow();
      const head = Object.assign(document.createElement('th'), { scope: 'row' });
      const label = Object.assign(document.createElement('span'), { className: 'seat' });
      label.append(swatch(seat, tape.seats.length), String(seat));
      head.append(label);
      row.append(head);
      const name = row.insertCell();
      name.append(Object.assign(document.createElement('div'), { className: 'bot', textContent: bot.name, title: `${bot.name}, version ${bot.version}` }));
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
    panel.append(heading('Game'), list([['game', tape.game], ['rules', `${tape.rules}, version ${tape.version}`], ['seed', tape.seed], ...tape.parameters, ['turns', tape.turns], ['end', tape.end ?? 'given up']]));
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

  // What changes with the turn.

  /** Goes to a turn, and tells it to those who listen. */
  go(turn, speak = true) {
    this.time = Math.min(this.tape.turns, Math.max(0, turn));
    this.show();
    if (speak && !this.playing) this.speak();
  }

  show() {
    this.wanted ??= requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.wanted = null;
    const began = performance.now();
    if (this.playing) {
      const passed = Math.min(100, now - (this.lastFrame ?? now));
      this.frameTimes.push(now - (this.lastFrame ?? now));
      if (this.frameTimes.length > 600) this.frameTimes.shift();
      this.time = Math.min(this.tape.turns, this.time + (passed / 1000) * this.speed);
      if (this.time >= this.tape.turns) this.pause();
    }
    this.lastFrame = now;
    this.draw();
    this.tell(now);
    this.drawing = performance.now() - began;
    if (this.playing) this.show();
  }

  draw() {
    const { tape, turn } = this;
    if (this.at !== turn) {
      this.at = turn;
      Object.assign(this, tape.turn(turn));
    }
    const smooth = this.playing && !this.still.matches && this.speed <= SMOOTH;
    const part = smooth ? this.time - turn : 0;
    const canvas = one('field');
    const ctx = canvas.getContext('2d');
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const view = { ...this.view, turn, part, values: this.values, next: this.next, happenings: this.happenings };
    this.board.draw(ctx, view);
    if (this.pick?.place !== undefined) this.board.drawFrame(ctx, view, this.pick.place, false);
    if (this.cursor !== null && document.activeElement === one('board')) this.board.drawFrame(ctx, view, this.cursor, true);
    this.timeline.draw(this.time, this.colours);
  }

  get view() {
    return { tape: this.tape, size: this.size, colours: this.colours, pick: this.pick, options: this.options };
  }

  /** Writes what the page says of the turn: each turn when it stands, a few times a second when it plays. */
  tell(now) {
    if (this.shown === this.turn || (this.playing && now - (this.told ?? 0) < 120)) return;
    this.shown = this.turn;
    this.told = now;
    const { tape, turn } = this;
    if (document.activeElement !== one('turn')) one('turn').value = turn;
    one('timeline').setAttribute('aria-valuenow', turn);
    one('timeline').setAttribute('aria-valuetext', this.summary());
    this.rows.forEach((row, seat) => this.tellSeat(row, seat));
    if (this.playing && this.speed > 8) return;
    this.tellPanel();
    one('board').setAttribute('aria-label', `Board. ${this.summary()}`);
  }

  tellSeat(row, seat) {
    const { tape, turn } = this;
    const bot = tape.seats[seat];
    const over = turn === tape.turns;
    row.score.textContent = this.timeline.hasScores ? tape.score(turn, seat) : over ? (bot.score ?? '') : '';
    if (over && bot.place !== null) {
      row.score.append(Object.assign(document.createElement('span'), { className: 'place', textContent: ` ${ordinal(bot.place)}` }));
    }
    // Where one is asked at a time, the last answer stands until the next.
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

  /** What happens in the turn, most noteworthy first; what is hidden stays so until it is asked for. */
  lines() {
    const order = ['end', 'effect', 'fault', 'score', 'deed'];
    const open = (line) => line.name !== this.board.hidden || this.options[this.board.hidden];
    return this.happenings.filter(open).sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
  }

  tellPanel() {
    const panel = document.querySelector('[role="tabpanel"]:not([hidden])').id;
    if (panel === 'events') this.tellEvents();
    if (panel === 'talk') this.tellTalk();
    if (panel === 'story') this.tellStory();
  }

  tellEvents() {
    const { tape, turn } = this;
    const lines = this.lines();
    one('events-title').textContent = turn === tape.turns ? 'The game is over' : `What happens in turn ${turn}`;
    const room = this.playing ? 30 : LINES;
    const shown = lines.slice(0, room).map((line) => this.item(line));
    if (turn === tape.turns) {
      const best = [...tape.seats.keys()].filter((seat) => tape.seats[seat].place !== null).sort((one, other) => tape.seats[one].place - tape.seats[other].place);
      shown.push(...best.map((seat) => this.item({ kind: 'end', upshot: 'done', seat, words: `${ordinal(tape.seats[seat].place)}: ${tape.seats[seat].name}, score ${tape.seats[seat].score}` })));
    } else if (lines.length === 0) {
      shown.push(this.item({ kind: 'deed', upshot: 'done', seat: null, words: 'Nothing moves' }));
    }
    if (lines.length > room) shown.push(this.item({ kind: 'deed', upshot: 'done', seat: null, words: `and ${lines.length - room} more` }));
    one('events-list').replaceChildren(...shown);
  }

  item({ kind, upshot, seat, words }) {
    const item = document.createElement('li');
    item.className = `${kind} ${upshot}`;
    if (seat !== null) item.append(swatch(seat, this.tape.seats.length));
    item.append(words);
    return item;
  }

  tellTalk() {
    const { tape, turn } = this;
    const parts = tape.replies(turn).flatMap((reply) => {
      const head = document.createElement('h3');
      head.append(swatch(reply.seat, tape.seats.length), this.nameOf(reply.seat));
      const wall = reply.wall > reply.thinking ? `, ${span(reply.wall)} on the wall` : '';
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
    if (parts.length === 0) parts.push(Object.assign(document.createElement('p'), { textContent: 'Nobody is asked: the game is over.' }));
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
      ? ([, , from, to]) => from === pick.place || to === pick.place
      : ([seat, index]) => seat === pick.seat && (pick.index === undefined || pick.index === null || index === pick.index);
    await tape.search((turn, pattern, values, others) => {
      if (tape.patterns[pattern].name === this.board.hidden && !this.options[this.board.hidden]) return this.pick !== pick;
      if (isOfPick(values)) found.push({ turn, pattern, values, others: others.slice() });
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
      ? this.board.tell(tape.position(turn), pick.place)
      : this.nameOf(pick.seat) + (pick.index === null || pick.index === undefined ? '' : `: player ${pick.index}`);
    if (!story) {
      one('story-note').textContent = 'Looking …';
      one('story-list').replaceChildren();
      return;
    }
    const SHOWN = 120;
    const middle = story.findIndex((line) => line.turn >= turn);
    const start = Math.max(0, Math.min(story.length - SHOWN, (middle < 0 ? story.length : middle) - 10));
    const lines = story.slice(start, start + SHOWN);
    one('story-note').textContent = `${plural(story.length, 'event')} in the game${story.length > SHOWN ? `; those around turn ${turn}` : ''}.`;
    one('story-list').replaceChildren(...lines.map((line) => {
      const { kind, upshot } = tape.patterns[line.pattern];
      const item = this.item({ kind, upshot, seat: line.values[0], words: tape.words(line.pattern, line.values, line.others) });
      const jump = Object.assign(document.createElement('button'), { type: 'button', textContent: line.turn });
      jump.setAttribute('aria-label', `Go to turn ${line.turn}`);
      jump.addEventListener('click', () => this.go(line.turn));
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

  // What people do.

  play() {
    if (this.time >= this.tape.turns) this.time = 0;
    this.playing = true;
    this.lastFrame = undefined;
    this.frameTimes = [];
    clearTimeout(this.speaking);
    one('live').textContent = '';
    this.showPlaying();
    this.show();
  }

  pause() {
    this.playing = false;
    this.time = Math.floor(this.time);
    this.shown = null;
    this.showPlaying();
    this.go(this.time);
  }

  showPlaying() {
    one('play').classList.toggle('playing', this.playing);
    one('play').setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
  }

  step(turns) {
    if (this.playing) this.pause();
    this.go(this.turn + turns);
  }

  jump(direction) {
    if (this.playing) this.pause();
    const kind = one('kinds').value;
    const turns = kind === '' ? this.tape.markTurns : [...new Set(this.tape.marks.filter((mark) => (mark.kind === 'fault' ? 'fault' : mark.name) === kind).map(({ turn }) => turn))];
    const to = direction > 0 ? turns.find((turn) => turn > this.turn) : turns.findLast((turn) => turn < this.turn);
    this.go(to ?? (direction > 0 ? this.tape.turns : 0));
  }

  faster(direction) {
    const place = SPEEDS.indexOf(this.speed) + direction;
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, place))];
    one('speed').value = this.speed;
  }

  listen() {
    const click = (id, act) => one(id).addEventListener('click', act);
    click('first', () => this.step(-Infinity));
    click('last', () => this.step(Infinity));
    click('back', () => this.step(-1));
    click('on', () => this.step(1));
    click('mark-back', () => this.jump(-1));
    click('mark-on', () => this.jump(1));
    click('play', () => (this.playing ? this.pause() : this.play()));
    click('theme', () => this.nextTheme());
    one('speed').addEventListener('change', () => (this.speed = Number(one('speed').value)));
    one('turn').addEventListener('change', () => {
      if (this.playing) this.pause();
      this.go(Math.round(Number(one('turn').value)) || 0);
    });
    one('who').addEventListener('submit', (event) => {
      event.preventDefault();
      const number = (id) => (one(id).value === '' ? null : Number(one(id).value));
      const [seat, index, place] = ['who-seat', 'who-index', 'who-place'].map(number);
      if (seat !== null) this.choose({ seat, index });
      else if (place !== null) this.choose({ place });
    });
    one('who-seat').addEventListener('change', () => (one('who-place').value = ''));
    one('who-place').addEventListener('input', () => (one('who-seat').value = one('who-index').value = ''));
    const tabs = [...document.querySelectorAll('[role="tab"]')];
    tabs.forEach((tab, index) => {
      tab.addEventListener('click', () => this.open(tab.id.slice(4)));
      tab.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = tabs[(index + step + tabs.length) % tabs.length];
        this.open(next.id.slice(4));
        next.focus();
        event.preventDefault();
        event.stopPropagation();
      });
    });
    this.listenToTimeline();
    this.listenToBoard();
    document.addEventListener('keydown', (event) => this.key(event));
    this.dark.addEventListener('change', () => this.paint());
    new ResizeObserver(() => this.paint()).observe(one('stage'));
  }

  listenToTimeline() {
    const line = one('timeline');
    const to = (event) => {
      if (this.playing) this.pause();
      this.go(this.timeline.turnAt(event.clientX - line.getBoundingClientRect().left));
    };
    line.addEventListener('pointerdown', (event) => {
      line.setPointerCapture(event.pointerId);
      to(event);
    });
    line.addEventListener('pointermove', (event) => {
      if (line.hasPointerCapture(event.pointerId)) to(event);
    });
    line.addEventListener('keydown', (event) => {
      const leap = Math.max(1, Math.round(this.tape.turns / 20));
      const step = { ArrowUp: 1, ArrowDown: -1, PageUp: leap, PageDown: -leap }[event.key];
      if (!step) return;
      this.step(step);
      event.preventDefault();
    });
  }

  listenToBoard() {
    const box = one('board');
    one('field').addEventListener('click', (event) => {
      const field = one('field').getBoundingClientRect();
      const [x, y] = [(event.clientX - field.left) / field.width, (event.clientY - field.top) / field.width];
      const place = this.board.placeAt(x, y);
      if (place !== null) this.chooseAt(place, x, y);
    });
    box.addEventListener('focus', () => {
      this.cursor ??= Math.floor(this.board.places / 2) + (this.board.lowest ?? 0);
      this.show();
    });
    box.addEventListener('blur', () => this.show());
    box.addEventListener('keydown', (event) => {
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (steps[event.key]) {
        this.cursor = this.board.step(this.cursor, ...steps[event.key]);
        if (!this.playing) one('live').textContent = this.board.tell(this.values, this.cursor);
        this.show();
      } else if (event.key === 'Enter') {
        this.chooseAt(this.cursor);
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** The first time a place is chosen its story is told, then that of each player on it. */
  chooseAt(place, x, y) {
    const values = this.tape.position(this.turn);
    const who = (this.board.whoIsNear ?? this.board.whoIsAt).call(this.board, values, place, x, y);
    const all = x !== undefined && this.board.placeName === 'row' ? [...who.slice(0, 1), null] : [...who, null];
    const same = this.lastChosen?.place === place && this.lastChosen.turn === this.turn;
    const next = same ? (this.lastChosen.next + 1) % all.length : 0;
    this.lastChosen = { place, turn: this.turn, next };
    this.choose(all[next] ? { seat: all[next].seat, index: all[next].index } : { place });
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'checkbox';
    if (isField) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    const onButton = event.target.tagName === 'BUTTON' || event.target.type === 'checkbox';
    const acts = {
      ' ': () => (this.playing ? this.pause() : this.play()),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      '[': () => this.jump(-1),
      ']': () => this.jump(1),
      Home: () => this.step(-Infinity),
      End: () => this.step(Infinity),
      '+': () => this.faster(1),
      '=': () => this.faster(1),
      '-': () => this.faster(-1),
      g: () => one('turn').select(),
      c: () => this.nextTheme(),
    };
    if (!acts[event.key] || (event.key === ' ' && onButton)) return;
    acts[event.key]();
    event.preventDefault();
  }

  // How it looks.

  nextTheme() {
    this.theme = { auto: 'light', light: 'dark', dark: 'auto' }[this.theme];
    this.paint();
  }

  /** Takes the colours and the sizes that the page has now. */
  paint() {
    const dark = this.theme === 'auto' ? this.dark.matches : this.theme === 'dark';
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    one('theme').textContent = { auto: 'Auto', light: 'Light', dark: 'Dark' }[this.theme];
    one('theme').setAttribute('aria-label', `Colours: ${{ auto: 'as the system has them', light: 'light', dark: 'dark' }[this.theme]}`);
    this.colours = new Colours();
    const room = one('board').clientWidth;
    const height = Math.max(300, window.innerHeight - (window.innerWidth < 900 ? 250 : 290)) / this.board.aspect;
    this.size = Math.floor(Math.min(room, height));
    this.ratio = window.devicePixelRatio || 1;
    const canvas = one('field');
    canvas.width = Math.round(this.size * this.ratio);
    canvas.height = Math.round(this.size * this.board.aspect * this.ratio);
    canvas.style.width = `${this.size}px`;
    canvas.style.height = `${this.size * this.board.aspect}px`;
    this.timeline.lay(this.colours);
    this.show();
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

(async () => {
  const head = JSON.parse(one('head').textContent);
  const bytes = await inflate(one('tape').textContent);
  one('tape').remove();
  const app = new App(new Tape(head, bytes));
  requestAnimationFrame(() => requestAnimationFrame(() => {
    document.documentElement.dataset.ready = performance.now().toFixed(1);
  }));
  // For those who look into the page, and for its tests.
  window.replay = app;
})();
