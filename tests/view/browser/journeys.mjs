// Four students get from the invitation to a bot that plays, each by the pages that a browser shows.
// `tests/serve/journeys.rs` checks the report.
//
// Reads from standard input: { browser, address, place, students: [{ kind, name, token, files }], run }: what each student
// is, has and is called, a folder for downloads, and a command that plays a round. Writes the report as JSON: for each
// student the steps that he took, what he read after handing in, and what after a round.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const plan = JSON.parse(readFileSync(0, 'utf8'));
const browser = await chromium.launch({ executablePath: plan.browser, args: ['--disable-gpu', '--no-first-run'] });
const seen = { trouble: [], students: {} };

/** Hands in by the form: fills it in, and waits for the verdict. */
const submit = async (page, steps, student, field, files) => {
  await page.setInputFiles(field, files);
  steps.push('choose the files');
  if (field === '#folder') await page.waitForFunction(() => document.getElementById('packed').textContent !== '');
  const packed = await page.textContent('#packed');
  await page.fill('#token', student.token);
  await page.fill('#name', student.kind);
  steps.push('fill in token and name');
  await page.click('button[type=submit]');
  steps.push('press Submit');
  await page.waitForFunction(() => /admitted|refused|failed/.test(document.querySelector('strong')?.textContent ?? ''));
  return `${packed} ${await page.textContent('main')}`;
};

const journeys = {
  // A browser and an editor alone. The editor writes the line ends of Windows.
  async windows(page, steps, student) {
    const coming = page.waitForEvent('download');
    await page.click('main a[href$="/starters/python"]');
    steps.push('download a starter');
    const download = await coming;
    const folder = `${plan.place}/unpacked`;
    mkdirSync(folder);
    await download.saveAs(`${folder}.zip`);
    execFileSync('python3', ['-m', 'zipfile', '-e', `${folder}.zip`, folder]);
    steps.push('unpack it by a double click');
    const [inner] = readdirSync(folder);
    for (const name of readdirSync(`${folder}/${inner}`)) {
      const file = `${folder}/${inner}/${name}`;
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
    }
    steps.push('edit and save it');
    return submit(page, steps, student, '#folder', `${folder}/${inner}`);
  },
  // A project that Eclipse has exported as an archive.
  eclipse: (page, steps, student) => submit(page, steps, student, '#program', student.files),
  // A folder with a virtual environment in it.
  venv: (page, steps, student) => submit(page, steps, student, '#folder', student.files),
  // A shell, by the line that the page shows, with his own file and name in it.
  async linux(page, steps, student) {
    const lines = (await page.textContent('main pre')).split('\n');
    const curl = lines.slice(lines.findIndex((line) => line.startsWith('curl'))).join('\n');
    const [file] = student.files;
    const own = curl.replaceAll('MyBot.java', file).replace('name=mybot', `name=${student.kind}`);
    steps.push('copy the line, with the file and the name of the bot');
    const options = { cwd: student.folder, env: { ...process.env, REFEREE_TOKEN: student.token } };
    const { receipt } = JSON.parse(execFileSync('bash', ['-c', own], options).toString());
    steps.push('run it with the token');
    await page.goto(`${plan.address}/h/submissions/${receipt}`);
    steps.push('open the page of the receipt');
    await page.waitForFunction(() => /admitted|refused|failed/.test(document.querySelector('strong')?.textContent ?? ''));
    return page.textContent('main');
  },
};

try {
  for (const student of plan.students) {
    const page = await (await browser.newContext()).newPage();
    // How long a build takes depends on the machine. What hangs is ended by the runner of the tests.
    page.setDefaultTimeout(0);
    page.on('console', (message) => seen.trouble.push(`${page.url()}: ${message.text()}`));
    page.on('pageerror', (error) => seen.trouble.push(`${page.url()}: ${error}`));
    const steps = [];
    await page.goto(`${plan.address}/h`);
    steps.push('open the address of the invitation');
    await page.click('nav a[href$="/submit"]');
    steps.push('open Submit');
    const verdict = await journeys[student.kind](page, steps, student);
    seen.students[student.kind] = { steps, verdict };
    await page.context().close();
  }
  execFileSync(plan.run[0], plan.run.slice(1));
  for (const student of plan.students) {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(0);
    await page.goto(`${plan.address}/h/account`);
    await page.fill('#token', student.token);
    await page.click('button[type=submit]');
    await page.click(`main a[href$="/bots/${student.kind}"]`);
    await page.waitForFunction(() => !/None yet/.test(document.querySelector('main').textContent));
    seen.students[student.kind].after = await page.textContent('main');
    await page.context().close();
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));
