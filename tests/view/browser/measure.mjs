// Opens pages in Chromium and plays them. Measures the time to the first frame, and of a frame, a turn, a leap. For
// `scripts/bench page`.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const SECONDS = 5;

const plan = JSON.parse(readFileSync(0, 'utf8'));
const browser = await chromium.launch({ executablePath: plan.browser, args: ['--disable-gpu', '--disable-quic', '--no-first-run'] });
const measured = [];
for (const file of plan.files) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('[data-ready]', { state: 'attached', timeout: 0 });
  await page.evaluate(() => {
    const { replay } = window;
    replay.go(Math.floor(replay.tape.turns / 3));
    replay.speed = 4;
    window.draws = [];
    const draw = replay.draw.bind(replay);
    replay.draw = () => {
      const isNew = replay.at !== replay.turn;
      const began = performance.now();
      draw();
      window.draws.push([performance.now() - began, isNew]);
    };
    replay.play();
  });
  await page.waitForTimeout(1000 * SECONDS);
  measured.push(await page.evaluate(() => {
    const { replay } = window;
    const part = (times, share) => times.sort((one, other) => one - other)[Math.floor(times.length * share)];
    const frames = replay.frameTimes.slice(2);
    const draws = window.draws.filter(([, isNew]) => !isNew).map(([time]) => time);
    const turns = window.draws.filter(([, isNew]) => isNew).map(([time]) => time);
    replay.pause();
    const began = performance.now();
    const LEAPS = 20;
    for (let leap = 0; leap < LEAPS; leap++) {
      replay.time = Math.floor((replay.tape.turns * ((leap * 7) % LEAPS)) / LEAPS);
      replay.draw();
    }
    return {
      turns: replay.tape.turns,
      opened: Number(document.documentElement.dataset.ready),
      frame50: part(frames, 0.5),
      frame99: part(frames, 0.99),
      draw50: part(draws, 0.5),
      draw99: part(draws, 0.99),
      turn99: part(turns, 0.99),
      seek: (performance.now() - began) / LEAPS,
    };
  }));
  await page.close();
}
await browser.close();
process.stdout.write(JSON.stringify(measured));
