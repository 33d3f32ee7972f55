// Uses the pages of a server as a host's visitors and an author would, in Chromium, and reports what they show.
// `tests/serve/browser.rs` checks the report.
//
// Reads from standard input: { browser, address, token, host, wrong, good, several, folder, run, downloads, held }: the
// tokens of an author and of a host, two programs of the author, the files of a source, their folder, a command that plays a round, a folder, and a file that lengthens a game while
// it exists. Writes the report as JSON.

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const plan = JSON.parse(readFileSync(0, 'utf8'));
const browser = await chromium.launch({ executablePath: plan.browser, args: ['--disable-gpu', '--no-first-run'] });
const seen = { trouble: [], elsewhere: [], found: [], wide: [] };
const opened = async (options) => {
  const context = await browser.newContext(options);
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(plan.address) && !url.startsWith("data:")) seen.elsewhere.push(url);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(0);
  page.on('console', (message) => seen.trouble.push(`${page.url()}: ${message.text()}`));
  page.on('pageerror', (error) => seen.trouble.push(`${page.url()}: ${error}`));
  return page;
};
// The largest paint of a page on a telephone: a processor that is four times slower, 1.6 Mbit/s and 150 ms to the server,
// which DevTools calls "Slow 4G". Returns milliseconds, the bytes of all answers with their headers, and the cumulative
// layout shift: how far things have moved.
const painted = async (path) => {
  const page = await opened({ viewport: { width: 390, height: 844 } });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.addInitScript(() => {
    new PerformanceObserver((list) => (window.largest = list.getEntries().at(-1).startTime))
      .observe({ type: 'largest-contentful-paint', buffered: true });
    window.moved = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.moved += value)))
      .observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(plan.address + path);
  await page.waitForFunction(() => window.largest);
  await page.waitForTimeout(300);
  const [ms, moved] = await page.evaluate(() => [Math.round(window.largest), Math.round(window.moved * 1000) / 1000]);
  await page.context().close();
  return { path, ms, bytes, moved };
};
const submit = async (page, program) => {
  await page.goto(`${plan.address}/h/submit`);
  await page.fill('#token', plan.token);
  await page.fill('#name', 'mybot');
  await page.setInputFiles('#program', program);
  await page.click('button[type=submit]');
  // Without a script, the page reloads itself.
  await page.waitForFunction(() => /admitted|refused|failed/.test(document.querySelector('strong')?.textContent ?? ''));
  return page.textContent('main');
};
try {
  const author = await opened({ javaScriptEnabled: true });
  seen.refused = await submit(author, plan.wrong);
  seen.admitted = await submit(author, plan.good);
  // Several files become an archive.
  seen.packed = await submit(author, plan.several);
  await author.goto(`${plan.address}/h/submit`);
  await author.setInputFiles('#folder', plan.folder);
  await author.waitForFunction(() => document.getElementById('packed').textContent !== '');
  seen.folder = await author.evaluate(() => [document.getElementById('packed').textContent, document.getElementById('program').files[0].name]);
  await author.fill('#token', plan.token);
  await author.fill('#name', 'snake');
  await author.click('button[type=submit]');
  await author.waitForFunction(() => /admitted|refused|failed/.test(document.querySelector('strong')?.textContent ?? ''));
  seen.whole = await author.textContent('main');
  const visitor = await opened({ viewport: { width: 1280, height: 900 } });
  await visitor.goto(`${plan.address}/h`);
  seen.before = await visitor.textContent('main');
  execFileSync(plan.run[0], plan.run.slice(1));
  await visitor.waitForFunction(() => /1 round/.test(document.querySelector('main h2').textContent));
  seen.after = await visitor.textContent('main');
  // More tabs than a browser has connections to a server. Somebody reads in the first, and fills in a form in the second.
  const tabs = [];
  for (let number = 0; number < 8; number++) {
    const tab = await visitor.context().newPage();
    await tab.goto(`${plan.address}/h${number === 1 ? '/games' : ''}`);
    tabs.push(tab);
  }
  await tabs[0].evaluate(() => {
    document.querySelector('main .scroll').focus();
    getSelection().selectAllChildren([...document.querySelectorAll('main h2')].at(-1));
  });
  await tabs[1].click('.find summary');
  await tabs[1].fill('#bot', 'mybot');
  const page = await fetch(`${plan.address}/h/host`, { headers: { authorization: `Bearer ${plan.host}` } });
  seen.streams = Number(/<dt>Event streams<\/dt><dd>(\d+)/.exec(await page.text())[1]);
  execFileSync(plan.run[0], plan.run.slice(1));
  for (const [number, tab] of tabs.entries()) {
    await tab.waitForFunction((is) => (is ? /r00002/ : /2 rounds/).test(document.querySelector('main').innerHTML), number === 1);
  }
  seen.reading = await tabs[0].evaluate(() => [getSelection().toString(), document.activeElement.className]);
  seen.filled = await tabs[1].inputValue('#bot');
  for (const tab of tabs) await tab.close();
  // The next round, while it is played: until the file is gone, a bot waits at each turn.
  writeFileSync(plan.held, '');
  const run = spawn(plan.run[0], plan.run.slice(1), { stdio: 'ignore' });
  const over = new Promise((ends) => run.on('exit', ends));
  try {
    do await visitor.goto(`${plan.address}/h/live`);
    while (run.exitCode === null && !(await visitor.locator('main a[href$="/live"]').count()));
    await visitor.click('main a[href$="/live"]');
    await visitor.waitForFunction(() => /being played/.test(document.querySelector('#about')?.textContent ?? ''));
    const turns = () => visitor.evaluate(() => window.replay.tape.turns);
    const first = await turns();
    await visitor.waitForFunction((first) => window.replay?.tape.turns > first, first);
    seen.grown = (await turns()) > first;
  } finally {
    rmSync(plan.held);
    await over;
  }
  await visitor.waitForURL(/replay/);
  await visitor.waitForFunction(() => window.replay?.tape.end);
  await visitor.goto(`${plan.address}/h`);
  seen.downloaded = [];
  for (const address of ['records.tar', 'results.csv']) {
    const coming = visitor.waitForEvent('download');
    await visitor.click(`a[href$="/${address}"]`);
    const download = await coming;
    await download.saveAs(`${plan.downloads}/${download.suggestedFilename()}`);
    seen.downloaded.push(download.suggestedFilename());
  }
  const shown = async (page, token) => {
    await page.goto(`${plan.address}/h/account`);
    await page.fill('#token', token);
    await page.click('button[type=submit]');
  };
  await shown(author, plan.token);
  await author.goto(`${plan.address}/h/bots/mybot`);
  seen.own = await author.textContent('main');
  seen.cookies = await author.evaluate(() => document.cookie);
  seen.painted = [];
  for (const path of ['/h', '/h/games', '/h/bots/mybot']) seen.painted.push(await painted(path));
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [390, 1280]) {
      const page = await opened({ colorScheme, viewport: { width, height: 900 } });
      await shown(page, plan.host);
      for (const path of ['/', '/h', '/h/wall', '/h/live', '/h/account', '/h/host', '/h/games', '/h/games/s001-r00001-t001-g1', '/h/bots/mybot', '/h/rules', '/h/submit', '/x']) {
        await page.goto(plan.address + path);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => axe.run({ preload: false }));
        violations.forEach(({ id, nodes }) => seen.found.push(`${path} ${colorScheme} ${width}: ${id}: ${nodes[0].html}`));
        const broad = await page.evaluate(() => document.documentElement.scrollWidth);
        if (broad > width) seen.wide.push(`${path} at ${width}: ${broad}`);
        const tall = await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
        if (path === '/h/wall' && width > 700 && tall > 0) seen.wide.push(`${path} is ${tall} higher than the screen`);
      }
    }
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
