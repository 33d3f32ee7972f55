// Opens pages in Chromium, acts like a person, and reports what they show. The tests in Rust check the report.
//
// Reads from standard input: { browser, pages: [{ file, look }] }, each `look` the name of a function below with its input.
// Writes to standard output a list of reports, with everything that a page must not do: print errors, use the network,
// open dialogs.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const looks = { contents, pair, use, widths, strangers, read, scene, alone, still };

const plan = JSON.parse(readFileSync(0, 'utf8'));
const flags = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: plan.browser, args: flags });
const seen = [];
try {
  for (const { file, look, ...needs } of plan.pages) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...needs.context });
    const page = await context.newPage();
    const trouble = [];
    page.on('console', (message) => trouble.push(`console: ${message.text()}`));
    let stop;
    const stopped = new Promise((_, reject) => (stop = reject));
    stopped.catch(() => {}); // Possibly nothing waits for it.
    page.on('pageerror', (error) => (trouble.push(`error: ${error}`), stop(error)));
    page.on('dialog', (dialog) => (trouble.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
    const requests = [];
    context.on('request', (request) => requests.push(request.url()));
    const url = pathToFileURL(file).href;
    await page.goto(url + (needs.hash ?? ''));
    if (look !== 'read' && look !== 'still') await Promise.race([stopped, page.waitForSelector('[data-ready]', { state: 'attached', timeout: 0 })]);
    const found = await looks[look](page, needs);
    seen.push({ ...found, trouble, requests: requests.filter((request) => request !== url && request !== 'data:,') });
    await context.close();
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));

/** Everything that the page has read of its tape. */
function contents(page) {
  return page.evaluate(() => {
    const { tape } = window.replay;
    const turns = Array.from({ length: tape.turns + 1 }, (_, turn) => turn);
    const facts = (turn) => {
      const values = tape.position(turn);
      const all = tape.keys.map(({ thing, seat, index }, fact) => [`${thing},${seat ?? ''},${index ?? ''}`, values[fact]]);
      return Object.fromEntries(all.filter(([, value]) => value !== -0x80000000));
    };
    // From both ends, so that the result does not depend on the position before.
    const backwards = turns.toReversed().map(facts).toReversed();
    return {
      positions: backwards,
      same: JSON.stringify(turns.map(facts)) === JSON.stringify(backwards),
      tracked: [0, tape.keys.length - 1].every((fact) => turns.every((turn) => tape.track(fact)[turn] === tape.position(turn)[fact])),
      happenings: turns.slice(0, -1).map((turn) => tape.happenings(turn).map(({ words }) => words)),
      replies: turns.slice(0, -1).map((turn) => tape.replies(turn).map((reply) => ({
        ...reply,
        question: tape.question(turn, reply.seat),
      }))),
      scores: turns.map((turn) => tape.seats.map((_, seat) => tape.score(turn, seat))),
    };
  });
}

/** What stands on the page now. */
function shown(page) {
  return page.evaluate(() => ({
    turn: Number(document.getElementById('timeline').getAttribute('aria-valuenow')),
    scores: [...document.querySelectorAll('#seats td.number')].map((cell) => cell.firstChild?.textContent ?? ''),
    verdicts: [...document.querySelectorAll('#seats td.verdict')].map((cell) => cell.textContent),
    events: [...document.querySelectorAll('#events-list li')].map((item) => item.textContent),
    live: document.getElementById('live').textContent,
  }));
}

/** Waits until the page has drawn what it was told. */
async function settle(page) {
  await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
}

async function goTo(page, turn) {
  await page.fill('#turn', String(turn));
  await page.press('#turn', 'Enter');
  await page.locator('#turn').blur();
  await settle(page);
}

/** Two games in one page: goes to turns of either, and says where both are; the last time apart from each other. */
async function pair(page) {
  await page.waitForFunction(() => [...document.querySelectorAll('iframe')].every((frame) => frame.contentWindow.replay));
  const go = async (frame, turn) => {
    await page.evaluate(([at, to]) => document.querySelectorAll('iframe')[at].contentWindow.replay.go(to), [frame, turn]);
    await page.waitForTimeout(300);
    return page.evaluate(() => [...document.querySelectorAll('iframe')].map((frame) => frame.contentWindow.replay.turn));
  };
  const turns = [await go(0, 7), await go(1, 12), await go(1, 30)];
  await page.uncheck('#together');
  turns.push(await go(1, 5));
  const titles = await page.evaluate(() => [...document.querySelectorAll('iframe')].map((frame) => frame.title));
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { iframes: false, preload: false }));
  return { turns, titles, axe: found.violations.map(({ id }) => id) };
}

/** What the camera sees that follows the first player of seat 1; null if no player can be followed. */
async function followed(page) {
  if (!(await page.locator('#option-follow').count())) return null;
  const seen = () => page.evaluate(() => {
    const { camera, board, values, tape } = window.replay;
    const [index, fact] = tape.movers[1].entries().next().value;
    const [x, y] = camera.middles.get(values[fact]) ?? [];
    // The place of the player, from its position on the canvas.
    const back = x === undefined ? null : board.placeAt(...camera.point((x - camera.left) * camera.zoom, (y - camera.top) * camera.zoom));
    return { zoom: camera.zoom, isThere: back === values[fact], index };
  });
  await goTo(page, 5);
  const { index } = await seen();
  await page.check('#option-follow');
  await page.evaluate((chosen) => window.replay.choose({ seat: 1, index: chosen }), index);
  await settle(page);
  const near = await seen();
  await page.uncheck('#option-follow');
  await page.evaluate(() => (window.replay.choose(null), window.replay.open('events')));
  await page.locator('#option-follow').blur();
  await goTo(page, 0);
  await settle(page);
  return { near: near.zoom, isThere: near.isThere, far: (await seen()).zoom };
}

/** Whether the page plays by itself, and how long games of some lengths take then; the words of the moment around a highlight. */
async function alone(page, { lengths = [] }) {
  return page.evaluate((lengths) => {
    const { replay } = window;
    const seconds = lengths.map(([turns, highlights]) => {
      const pace = new replay.pace.constructor(turns, highlights);
      // In steps of a picture, as the page plays.
      let [time, pictures] = [0, 0];
      for (; time < turns && pictures < 60 * 600; pictures++) time = pace.after(time, 1 / 60);
      return { seconds: pictures / 60, slowest: Math.min(...pace.parts.map(({ speed }) => speed)), there: highlights.map((turn) => pace.speed(turn)) };
    });
    const playing = replay.playing;
    replay.pause();
    const moments = [...replay.moments].map(([turn, words]) => {
      replay.go(turn);
      replay.tellMoment();
      return [turn, words, document.getElementById('moment').textContent];
    });
    return { playing, seconds, moments, turn: replay.turn, expected: replay.tape.expectedAt(0), headline: document.querySelector('h1').textContent, links: [...document.querySelectorAll('.links a')].map((link) => link.textContent) };
  }, lengths);
}

/** What stands on the page without JavaScript. */
async function still(page) {
  const text = await page.innerText('body');
  const picture = await page.locator('noscript svg').first().boundingBox().catch(() => null);
  const buttons = await page.locator('button:visible').count();
  return { text, picture, buttons };
}

/** Uses the page as a person would: by the turn's number, by keys alone, by mouse; plays. */
async function use(page, { turns }) {
  const found = { at: {} };
  // While the game plays: the number that stands there already, and that is typed once more.
  const isOpen = () => page.evaluate(() => document.getElementById('outcome').open);
  found.outcome = [await isOpen()];
  await page.evaluate(() => (window.replay.go(0), window.replay.play()));
  await page.focus('#turn');
  const there = await page.inputValue('#turn');
  await page.waitForFunction((there) => window.replay.turn > there, Number(there), { timeout: 0 });
  await page.fill('#turn', there);
  await page.press('#turn', 'Enter');
  found.typed = await page.evaluate((there) => !window.replay.playing && window.replay.turn === there, Number(there));
  for (const turn of turns) {
    await goTo(page, turn);
    found.at[turn] = await shown(page);
  }
  await goTo(page, 0);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#picture')]);
  found.picture = download.suggestedFilename();
  await page.locator('#picture').blur(); // Otherwise the space bar would press it again.
  found.followed = await followed(page);
  if (await page.locator('#option-secrets').count()) {
    const look = async () => ({ events: (await shown(page)).events, scores: (await shown(page)).scores, picture: await page.evaluate(() => document.getElementById('field').toDataURL()) });
    found.closed = await look();
    await page.check('#option-secrets');
    await settle(page);
    found.open = await look();
    await page.uncheck('#option-secrets');
    await page.locator('#option-secrets').blur();
    await settle(page);
  }
  const after = async (act) => {
    await act();
    await settle(page);
    return (await shown(page)).turn;
  };
  const press = (key) => after(() => page.keyboard.press(key));
  found.keys = {};
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) (found.keys[key] ??= []).push(await press(key));
  found.keys[']'] = await press(']');
  found.keys['['] = await press('[');
  found.keys.End = await press('End');
  found.outcome.push(await isOpen());
  found.keys.Home = await press('Home');
  // The turns that are worth a look, one after the other, and the first one again.
  found.moments = await page.evaluate(() => [...window.replay.moments.keys()]);
  found.visited = [];
  for (let step = 0; step <= found.moments.length; step++) found.visited.push(await press('m'));
  await press('Home');
  await page.keyboard.press('f');
  await page.waitForFunction(() => document.fullscreenElement === document.documentElement);
  await page.keyboard.press('f');
  await page.waitForFunction(() => document.fullscreenElement === null);
  // What the mouse points to, in words.
  const middle = await page.locator('#field').boundingBox();
  await page.mouse.move(middle.x + middle.width / 2, middle.y + middle.height / 2);
  found.pointed = await page.getAttribute('#field', 'title');
  found.there = await page.evaluate(() => {
    const { board, values, camera } = window.replay;
    return window.replay.named(board.tell(values, board.placeAt(...camera.point(0.5, board.aspect / 2))));
  });
  // The announcements for screen readers come while paused, and not while playing.
  await press('ArrowRight');
  await page.waitForFunction(() => document.getElementById('live').textContent.startsWith('Turn 1 '));
  found.told = (await shown(page)).live;
  await page.evaluate(() => {
    window.chatter = 0;
    const told = new MutationObserver(() => (window.chatter += 1));
    told.observe(document.getElementById('live'), { childList: true, characterData: true, subtree: true });
    for (const id of ['timeline', 'board']) {
      told.observe(document.getElementById(id), { attributeFilter: ['aria-valuenow', 'aria-valuetext', 'aria-label'] });
    }
  });
  await press('Home');
  await page.keyboard.press('+');
  const [speed] = await page.evaluate(() => [window.replay.speed]);
  found.speed = speed;
  await page.evaluate(() => {
    window.parts = [];
    const { board } = window.replay;
    const draw = board.draw.bind(board);
    board.draw = (ctx, view) => (window.parts.push(view.part), draw(ctx, view));
  });
  await page.keyboard.press('Space');
  await settle(page);
  await page.evaluate(() => (window.chatter = 0));
  await page.waitForFunction(() => window.replay.turn >= 3, undefined, { timeout: 0 });
  found.chatter = await page.evaluate(() => window.chatter);
  found.between = await page.evaluate(() => window.parts.some((part) => part > 0));
  await page.keyboard.press('Space');
  const stopped = (await settle(page), await shown(page)).turn;
  found.stays = (await page.waitForTimeout(500), await shown(page)).turn === stopped && stopped >= 3;
  // The tab key reaches every control, in a circle.
  found.reached = await page.evaluate(() => document.body.focus()).then(async () => {
    const reached = new Set();
    for (let step = 0; step < 80; step++) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className));
    }
    return [...reached];
  });
  // A story by keys alone: the frame on the board, Enter; a tab by its arrow key.
  await page.focus('#board');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /\d+ events?/.test(document.getElementById('story-note').textContent));
  found.story = await page.textContent('#story-title');
  await page.focus('#tab-story');
  await page.keyboard.press('ArrowLeft');
  await settle(page);
  found.question = await page.textContent('#talk dd code');
  // The mouse: the middle of the board, and half-way along the timeline.
  await page.locator('#field').click();
  found.clicked = await page.textContent('#story-title');
  const line = await page.locator('#timeline').boundingBox();
  await page.mouse.move(line.x + 60, line.y + line.height / 2);
  await page.mouse.down();
  await page.mouse.move(line.x + line.width / 2, line.y + line.height / 2, { steps: 5 });
  await page.mouse.up();
  await settle(page);
  found.dragged = (await shown(page)).turn;
  // Links to a moment: into the page, and out of it.
  found.headline = await page.textContent('h1');
  found.result = await page.textContent('#result');
  await page.evaluate(() => (location.hash = '#turn=3'));
  await page.waitForFunction(() => window.replay.turn === 3);
  await page.keyboard.press('ArrowRight');
  await settle(page);
  await page.click('#link');
  found.address = await page.evaluate(() => location.hash);
  await page.evaluate(() => (location.hash = '#turn=0&play'));
  await page.waitForFunction(() => window.replay.playing);
  await page.evaluate(() => window.replay.pause());
  return found;
}

/** Looks at the page in each width, light and dark, with the accessibility engine. */
async function widths(page, { widths }) {
  const found = {};
  for (const [width, height, colorScheme] of widths) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await settle(page);
    await page.waitForTimeout(50);
    await goTo(page, 5);
    const fits = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
    const crisp = await page.evaluate(() => {
      const field = document.getElementById('field');
      return field.width === Math.round(field.clientWidth * devicePixelRatio) && field.clientWidth > 200;
    });
    // On a wide screen all is there at once: the bar covers nothing and is not cut off, and the board fills its card.
    const free = await page.evaluate(() => {
      window.scrollTo(0, 0);
      const [bar, stage, field, ...others] = ['transport', 'stage', 'field', 'moment', 'scores', 'panels'].map((id) => document.getElementById(id).getBoundingClientRect());
      if (window.innerWidth < 900) return true;
      const isFree = [stage, ...others].every(({ bottom }) => bottom <= bar.top);
      return isFree && bar.bottom <= window.innerHeight && stage.width - field.width < 30;
    });
    const violations = [];
    for (const tab of ['events', 'talk', 'story', 'record']) {
      await page.click(`#tab-${tab}`);
      // The policy of the page forbids other scripts, so this one is injected by the driver.
      await page.evaluate(axe);
      const result = await page.evaluate(() => window.axe.run({ preload: false }));
      violations.push(...result.violations.map(({ id, impact, nodes }) => `${tab}: ${impact} ${id}: ${nodes[0].html} ${nodes[0].failureSummary}`));
      // The tabs have the same content in all widths except the narrowest, where it might not fit.
      if (width > 400 || colorScheme === 'dark') break;
    }
    await page.click('#tab-events');
    if (process.env.SCREENSHOTS) {
      const name = `${await page.evaluate(() => window.replay.tape.rules)}-${width}-${colorScheme}`;
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });
    }
    const low = height <= 800 ? `x${height}` : '';
    found[`${width}${low} ${colorScheme}`] = { fits, crisp, free, violations };
  }
  return found;
}

/** What a page makes of names and texts that would be something else. */
async function strangers(page, { texts }) {
  const wrote = () => page.evaluate(() => [...document.querySelectorAll('#wrote pre')].map((text) => text.textContent));
  // It has begun to play.
  await page.evaluate(() => (window.replay.pause(), window.replay.go(0)));
  await settle(page);
  const first = await wrote();
  await page.evaluate(() => window.replay.go(1));
  await settle(page);
  const second = await wrote();
  await page.click('#tab-record');
  await page.keyboard.press('End');
  await settle(page);
  return page.evaluate(([texts, wrote]) => ({
    wrote,
    title: document.title,
    elements: ['b', 'img', 'iframe', 'marquee', 'script'].map((name) => [name, document.querySelectorAll(`body ${name}`).length]),
    names: [...document.querySelectorAll('#seats .bot')].map((name) => name.textContent),
    errors: [...document.querySelectorAll('#record pre')].map((text) => text.textContent),
    fits: document.documentElement.scrollWidth <= window.innerWidth,
    ran: texts.filter((text) => text in window),
  }), [texts, [first, second]]);
}

/** Looks at a page that is only read, in each width, light and dark, with the accessibility engine; then goes past its head by keys. */
async function read(page, { widths }) {
  const found = {};
  for (const [width, height, colorScheme] of widths) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await settle(page);
    const fits = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
    const screens = await page.evaluate(() => document.documentElement.scrollHeight / window.innerHeight);
    const board = await page.evaluate(() => {
      const board = document.querySelector('.board')?.getBoundingClientRect();
      return board ? (board.bottom + window.scrollY) / window.innerHeight : 0;
    });
    await page.evaluate(axe);
    const result = await page.evaluate(() => window.axe.run({ preload: false }));
    const violations = result.violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
    if (process.env.SCREENSHOTS) {
      const name = `${await page.title()}-${width}-${colorScheme}`.replaceAll(/[^A-Za-z0-9]+/g, '-');
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
    }
    found[`${width} ${colorScheme}`] = { fits, screens, board, violations };
  }
  await page.keyboard.press('Tab');
  found.first = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press('Enter');
  found.place = await page.evaluate(() => location.hash);
  found.levels = await page.evaluate(() => [...document.querySelectorAll('h1, h2, h3')].map((heading) => Number(heading.tagName[1])));
  return found;
}

/** Looks at a scene of two tokens in turn 2: where its places are found, what is told of them, and how the tokens move. */
async function scene(page, { name }) {
  await goTo(page, 2);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/scene-${name.replace(' ', '-')}.png` });
  return page.evaluate(() => {
    const { replay } = window;
    const { board, tape } = replay;
    const { ground } = board;
    const field = document.getElementById('field');
    const ctx = field.getContext('2d');
    // The tape reuses the memory of a position.
    const position = (turn) => tape.position(turn).slice();
    const stands = (turn, seat) => position(turn)[tape.fact('player', seat, null)];
    // Read from a copy: a canvas that is read repeatedly becomes slower.
    const copy = new OffscreenCanvas(field.width, field.height).getContext('2d', { willReadFrequently: true });
    const pixel = ([x, y]) => copy.getImageData(Math.round(x * field.width), Math.round(y * field.width), 1, 1).data.join(' ');
    const draw = (turn, part) => {
      board.draw(ctx, { ...replay.view, values: position(turn), next: position(turn + 1), part });
      copy.drawImage(field, 0, 0);
    };
    const all = Array.from({ length: board.places }, (_, place) => place).filter((place) => ground.isPlace(place));
    const lost = all.filter((place) => board.placeAt(...ground.spot(place)) !== place);
    const about = document.getElementById('about').textContent;
    const caption = document.querySelector('#events-list')?.textContent.match(/turn \d is over/)?.[0];
    draw(2, 0);
    // The first token has no sign in its middle.
    const token = pixel(ground.spot(stands(2, 0)));
    const tokens = token !== pixel(ground.spot(all.at(-1))) && token !== pixel([0.001, 0.001]);
    draw(2, 0.5);
    const [x, y] = ground.spot(stands(2, 0));
    const [right, down] = ground.way(stands(2, 0), stands(3, 0));
    const between = pixel([x + right / 2, y + down / 2]) === token;
    // From the last column to the first.
    draw(1, 0.5);
    const [, row] = ground.spot(stands(1, 0));
    const shift = ground.hexagonal ? ground.width / 2 : 0;
    const over = [0.002 + shift, 1 - 0.002].map((at) => pixel([at, row]) === token);
    return { lost, drawn: all.length, tells: all.map((place) => board.tell(position(2), place)), tokens, between, over, caption, about };
  });
}
