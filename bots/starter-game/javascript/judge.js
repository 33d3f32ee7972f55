#!/usr/bin/env node
// Tron: two to four riders on a square grid, each with a trail that nobody can cross. The last one wins.
'use strict';
const { readSync, writeSync } = require('node:fs');

const DESCRIPTION = `game tron 1
about Tron: two to four riders, each with a trail that nobody can cross; the last wins
seats 2 4
turns 1600
time 200 5000
parameter side 15 5 40 cells along each side of the grid
end`;
const STEPS = [[-1, 0], [0, 1], [1, 0], [0, -1]]; // up, right, down, left

let waiting = ''; // what came and was not read yet
const chunk = Buffer.alloc(65536);

/** Returns the next line; null at the end of the input. */
function readLine() {
  let end;
  while ((end = waiting.indexOf('\n')) < 0) {
    const length = readSync(0, chunk);
    if (length === 0) return null;
    waiting += chunk.toString('latin1', 0, length);
  }
  const line = waiting.slice(0, end);
  waiting = waiting.slice(end + 1);
  return line;
}

let output = '';

function say(...words) {
  output += `${words.join(' ')}\n`;
}

function flush() {
  for (let left = Buffer.from(output); left.length > 0; ) left = left.subarray(writeSync(1, left));
  output = '';
}

/** Has the referee draw. */
function draw(name, count, candidates) {
  say('draw', name, 0, count, ...candidates);
  flush();
  return readLine().split(' ').slice(1).map(Number);
}

let side, turn, riders, headings, trails, scores;

function start(count, size) {
  [side, turn, scores, trails] = [size, 0, Array(count).fill(0), Array(size * size).fill(0)];
  const corners = [[1, 1, 1], [side - 2, side - 2, 3], [1, side - 2, 2], [side - 2, 1, 0]];
  const order = draw('corner', count, [...scores.keys()]); // who begins where
  riders = order.map((place) => corners[place][0] * side + corners[place][1]);
  headings = order.map((place) => corners[place][2]);
  riders.forEach((cell, seat) => (trails[cell] = seat + 1));
}

/** Returns the cell that a rider goes to, or null if there is none. */
function target(seat) {
  const row = Math.floor(riders[seat] / side) + STEPS[headings[seat]][0];
  const column = (riders[seat] % side) + STEPS[headings[seat]][1];
  const inside = row >= 0 && row < side && column >= 0 && column < side;
  return inside && !trails[row * side + column] ? row * side + column : null;
}

/** The seats that still ride. */
function riding() {
  return [...riders.keys()].filter((seat) => riders[seat] >= 0);
}

function play() {
  const goals = new Map(riding().map((seat) => [seat, target(seat)]));
  for (const [seat, cell] of goals) {
    if (cell === null || [...goals.values()].filter((other) => other === cell).length > 1) {
      say('effect out', seat, riders[seat]);
      say('say', seat, `seat ${seat} is out`);
      riders[seat] = -1;
    } else {
      riders[seat] = cell;
      scores[seat] += 1;
    }
  }
  for (const [seat, cell] of goals) if (cell !== null) trails[cell] = seat + 1;
  turn += 1;
}

function show() {
  const seats = riding();
  if (seats.length > 1) {
    for (const seat of seats) say('ask', seat, seat, turn, riders.length, side, ...riders, ...trails);
  } else {
    say('over one_left\nscores', ...scores);
  }
  say('end');
}

function check(answer) {
  if (answer.length !== 1) say(`malformed ${answer.length} integers instead of 1`);
  else if (/^[0-3]$/.test(answer[0])) say('fine');
  else say(`illegal 1 1 ${answer[0]} is no direction from 0 to 3`);
}

function facts() {
  say(`fact rows -1 -1 ${side}\nfact columns -1 -1 ${side}`);
  scores.forEach((score, seat) => say('fact score', seat, -1, score));
  riding().forEach((seat) => say('fact player', seat, -1, riders[seat]));
  trails.forEach((mark, cell) => mark && say('fact cell', mark - 1, cell, 0));
  say('end');
}

for (let line; (line = readLine()) !== null; flush()) {
  const [word, ...rest] = line.split(' ');
  if (word === 'describe') say(DESCRIPTION);
  if (word === 'start') start(...rest.map(Number));
  if (word === 'check') check(rest.slice(1));
  if (word === 'sample') say('answer', draw('sample', 1, [0, 1, 2, 3]));
  if (word === 'answer' && /^[0-3]$/.test(rest[1])) headings[rest[0]] = Number(rest[1]); // else: on as before
  if (word === 'go') play();
  if (word === 'start' || word === 'go') show();
  if (word === 'facts') facts();
}
