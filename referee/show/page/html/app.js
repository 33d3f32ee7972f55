// The page: the current turn, playing, looks, and the handlers of keys, mouse and touch.

/** Turns a second. */
const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Above this speed, in turns a second, motion between two turns is not drawn. */
const SMOOTH = 40;

/** The least height of a board, in pixels. */
const LEAST = 300;

/** The least width of the lists beside the board on a wide screen, in pixels. */
const BESIDE = 360;

/** Time that a game on a wall rests at its end, in milliseconds. */
const RESTS = 6000;

class App extends Teller {
  constructor(tape) {
    super();
    this.tape = tape;
    this.board = new GameBoard(tape);
    this.camera = new Camera(tape, this.board);
    if (this.camera.canFollow) this.board.options.push({ id: 'follow', label: 'Follow the chosen player', on: false });
    this.time = 0;
    /** Turns a second; 0: the pace of a game that plays by itself. */
    this.speed = 0;
    this.playing = false;
    this.pick = null;
    this.cursor = null;
    this.options = Object.fromEntries(this.board.options.map(({ id, on }) => [id, on]));
    this.still = window.matchMedia('(prefers-reduced-motion: reduce)');
    this.dark = window.matchMedia('(prefers-color-scheme: dark)');
    this.wide = window.matchMedia('(min-width: 900px)');
    this.theme = 'auto';
    this.frameTimes = [];
    this.timeline = new Timeline(tape, one('curves'));
    this.moments = new Map(tape.moments);
    this.pace = new Pace(tape.turns, [...this.moments.keys()]);
    this.write();
    this.listen();
    this.paint();
    this.go(0);
    this.follow();
  }

  get turn() {
    return Math.min(this.tape.turns, Math.floor(this.time));
  }

  /** Turns a second now. */
  get tempo() {
    return this.speed || this.pace.speed(this.time);
  }

  // The current turn.

  /** Goes to a turn. A screen reader announces it if `speak`. */
  go(turn, speak = true) {
    this.time = Math.min(this.tape.turns, Math.max(0, turn));
    this.show();
    if (speak && !this.playing) this.speak();
  }

  /** Goes where the address says: `#turn=60`, `#play`, or both with `&` between them. */
  follow() {
    const words = new URLSearchParams(location.hash.slice(1));
    const turn = Number(words.get('turn') ?? NaN);
    if (!Number.isNaN(turn)) {
      if (this.playing) this.pause();
      this.go(Math.round(turn));
    }
    // On a wall the board and the scores have all the room, and the game begins again when it is over.
    this.wall = words.has('wall');
    document.documentElement.classList.toggle('wall', this.wall);
    if (this.size) this.paint();
    if ((words.has('play') || (this.wall && this.tape.end && !this.still.matches)) && !this.playing) this.play();
  }

  /** Plays a whole game by itself, unless the visitor prefers reduced motion, or the address names a moment. */
  begin() {
    if (this.tape.end && !this.still.matches && location.hash === '' && window === window.parent) this.play();
  }

  /** Puts the turn into the address, and copies the address to the clipboard. */
  async link() {
    history.replaceState(null, '', `#turn=${this.turn}`);
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    one('link').textContent = copied ? 'Copied' : 'In the address bar';
    clearTimeout(this.linked);
    this.linked = setTimeout(() => (one('link').textContent = 'Copy link'), 3000);
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
      const seconds = passed / 1000;
      const reached = this.speed ? this.time + seconds * this.speed : this.pace.after(this.time, seconds);
      this.time = Math.min(this.tape.turns, reached);
      if (this.time >= this.tape.turns) {
        this.pause();
        if (this.wall) setTimeout(() => this.playing || this.play(), RESTS);
      }
    }
    this.lastFrame = now;
    this.draw();
    this.tell(now);
    this.nameBelow();
    this.drawing = performance.now() - began;
    if (this.playing) this.show();
  }

  draw() {
    const { tape, turn } = this;
    if (this.at !== turn) {
      this.at = turn;
      Object.assign(this, tape.turn(turn));
    }
    const smooth = this.playing && !this.still.matches && this.tempo <= SMOOTH;
    const part = smooth ? this.time - turn : 0;
    const canvas = one('field');
    const ctx = canvas.getContext('2d');
    this.camera.aim(this.options.follow ? this.pick : null, this.values, this.next, part);
    this.camera.place(ctx, this.ratio, this.size);
    const view = { ...this.view, turn, part, values: this.values, next: this.next, happenings: this.happenings };
    this.board.draw(ctx, view);
    if (this.pick?.place !== undefined) this.board.drawFrame(ctx, view, this.pick.place, false);
    if (this.cursor !== null && document.activeElement === one('board')) this.board.drawFrame(ctx, view, this.cursor, true);
    this.timeline.draw(this.time, this.colours);
  }

  /** Says what is below the mouse. Nothing while the game plays: it would be another thing in the next turn. */
  nameBelow() {
    const place = this.playing || !this.below ? null : this.board.placeAt(...this.camera.point(...this.below));
    const title = place === null ? '' : this.named(this.board.tell(this.values, place));
    if (one('field').title !== title) one('field').title = title;
  }

  get view() {
    return { tape: this.tape, size: this.size, colours: this.colours, pick: this.pick, options: this.options };
  }

  // Input: keys, mouse and touch.

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

  /** Goes to the next of the turns that are worth a look; after the last one, to the first. */
  nextMoment() {
    const turns = [...this.moments.keys()];
    const to = turns.find((turn) => turn > this.turn) ?? turns[0];
    if (to === undefined) return;
    if (this.playing) this.pause();
    this.go(to);
  }

  /** Fills the screen with the page, and back. A frame of another page cannot. */
  fill() {
    const done = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.();
    done?.catch(() => {});
  }

  faster(direction) {
    const now = this.tempo;
    const next = direction > 0 ? SPEEDS.findIndex((speed) => speed > now) : SPEEDS.findLastIndex((speed) => speed < now);
    const place = next < 0 && direction > 0 ? SPEEDS.length - 1 : next;
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
    click('link', () => this.link());
    click('picture', () => {
      const name = `${this.tape.game}-turn-${this.turn}.png`;
      this.camera.save(one('field'), `${this.tape.game}. ${this.summary()}.`, name, this.colours, this.ratio);
    });
    window.addEventListener('hashchange', () => this.follow());
    one('speed').addEventListener('change', () => (this.speed = Number(one('speed').value)));
    const jump = () => {
      if (this.playing) this.pause();
      this.go(Math.round(Number(one('turn').value)) || 0);
    };
    one('turn').addEventListener('input', () => this.playing && this.pause());
    one('turn').addEventListener('change', jump);
    // A number that was there before the visitor typed it is no change.
    one('turn').addEventListener('keydown', (event) => event.key === 'Enter' && jump());
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
    const sizes = new ResizeObserver(() => this.paint());
    for (const id of ['stage', 'transport']) sizes.observe(one(id));
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
    const within = (event) => {
      const field = one('field').getBoundingClientRect();
      return [(event.clientX - field.left) / field.width, (event.clientY - field.top) / field.width];
    };
    one('field').addEventListener('click', (event) => {
      const point = this.camera.point(...within(event));
      const place = this.board.placeAt(...point);
      if (place !== null) this.chooseAt(place, ...point);
    });
    one('field').addEventListener('pointermove', (event) => {
      this.below = within(event);
      this.nameBelow();
    });
    one('field').addEventListener('pointerleave', () => {
      this.below = null;
      this.nameBelow();
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
        if (!this.playing) one('live').textContent = this.named(this.board.tell(this.values, this.cursor));
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

  /** Shows the story of the first player on a place; if chosen again, that of the next, and at last the place's. */
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
      m: () => this.nextMoment(),
      f: () => this.fill(),
      g: () => one('turn').select(),
      c: () => this.nextTheme(),
    };
    if (!acts[event.key] || (event.key === ' ' && onButton)) return;
    acts[event.key]();
    event.preventDefault();
  }

  // Looks.

  nextTheme() {
    this.theme = { auto: 'light', light: 'dark', dark: 'auto' }[this.theme];
    this.paint();
  }

  /** Draws all with the colours and sizes that the page has now. */
  paint() {
    const dark = this.theme === 'auto' ? this.dark.matches : this.theme === 'dark';
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    one('theme').textContent = { auto: 'Auto', light: 'Light', dark: 'Dark' }[this.theme];
    one('theme').setAttribute('aria-label', `Colours: ${{ auto: 'system setting', light: 'light', dark: 'dark' }[this.theme]}`);
    this.colours = new Colours();
    this.timeline.lay(this.colours);
    this.ratio = window.devicePixelRatio || 1;
    this.fit();
    if (this.reserved !== this.size) {
      // The caption's height depends on the board's width.
      this.reserve();
      this.fit();
      this.reserved = this.size;
    }
    this.show();
  }

  /** Makes the board as large as its room. */
  fit() {
    const { aspect } = this.board;
    const [width, height] = this.room();
    this.size = Math.floor(Math.min(width, height / aspect));
    const canvas = one('field');
    canvas.width = Math.round(this.size * this.ratio);
    canvas.height = Math.round(this.size * aspect * this.ratio);
    canvas.style.width = `${this.size}px`;
    canvas.style.height = `${this.size * aspect}px`;
  }

  /** The room for the board, in pixels: on a wide screen all that header, caption, lists and controls leave. */
  room() {
    if (this.wall) return window.innerWidth > 600 ? [0.66 * window.innerWidth, window.innerHeight - 28] : [window.innerWidth - 24, 0.6 * window.innerHeight];
    if (!this.wide.matches) return [one('board').clientWidth, Math.max(LEAST, window.innerHeight - 230)];
    const [main, stage] = [document.querySelector('main'), one('stage')].map(getComputedStyle);
    const sum = (...lengths) => lengths.reduce((sum, length) => sum + parseFloat(length), 0);
    const frame = sum(stage.paddingTop, stage.paddingBottom, stage.borderTopWidth, stage.borderBottomWidth);
    const width = window.innerWidth < 1760 ? document.documentElement.clientWidth : 1760;
    const across = sum(main.paddingLeft, main.paddingRight, main.columnGap) + frame + BESIDE;
    const caption = one('moment').getBoundingClientRect().bottom - one('board').getBoundingClientRect().bottom;
    const along = sum(main.paddingTop, main.paddingBottom, main.rowGap) + frame + caption;
    const taken = document.querySelector('header').offsetHeight + one('transport').offsetHeight + along;
    return [width - across, Math.max(LEAST, window.innerHeight - taken)];
  }

  /** Gives the caption the room of its longest text: nothing moves when it comes. */
  reserve() {
    const moment = one('moment');
    const now = moment.textContent;
    moment.style.minHeight = '';
    const heights = [...this.moments].map(([turn, words]) => {
      moment.textContent = `Turn ${turn}: ${words}.`;
      return moment.offsetHeight;
    });
    moment.textContent = now;
    moment.style.minHeight = `${Math.max(moment.offsetHeight, ...heights)}px`;
  }
}

async function begin() {
  const lines = await unpack(one('tape').textContent);
  one('tape').remove();
  const app = new App(new Tape(lines));
  app.begin();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    document.documentElement.dataset.ready = performance.now().toFixed(1);
  }));
  // For a page with two games, for a script that follows a game, and for tests.
  window.replay = app;
}

begin().catch((error) => {
  one('about').textContent = `This page cannot be shown here (${error.message}). It needs a browser of 2023 or later.`;
  throw error;
});
