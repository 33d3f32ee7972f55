#!/usr/bin/env node
// A bot to begin with. It plays all four games, each in a function of its own: keep the one that you want and make it
// better. What the integers of a question and of an answer mean stands in the referee's protocol.md.
"use strict";

const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);

// Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
function football(q) {
  const [turn, seat, p, k] = q;
  const home = [0, 31, 992, 1023][seat]; // a cell is 32 * row + column
  const own = q.slice(10 + seat * p, 10 + seat * p + p); // where your players are
  const balls = q.slice(10 + 4 * p); // how many balls lie on each cell
  const row = (cell) => Math.floor(cell / 32);
  const square = (a, b) => (row(a) - row(b)) ** 2 + ((a % 32) - (b % 32)) ** 2;
  const steps = (a, b) => Math.max(Math.abs(row(a) - row(b)), Math.abs((a % 32) - (b % 32)));
  return own.map((cell, i) => {
    if (turn === 0) { // spread them over the 16x16 cells around home
      const place = Math.floor((i * 256) / p);
      return 32 * Math.abs(row(home) - Math.floor(place / 16)) + Math.abs((home % 32) - (place % 16));
    }
    // With a ball: of all cells in range the one nearest to home. Without: the nearest ball, among equals homeward.
    let best = cell, least = Infinity;
    for (let to = 0; to < 1024; to++) {
      const fits = balls[cell] ? square(cell, to) <= k * k : balls[to] > 0;
      const cost = square(to, home) + (balls[cell] ? 0 : 2048 * steps(cell, to));
      if (fits && cost < least) [least, best] = [cost, to];
    }
    if (balls[cell]) return 9 + best;
    return 3 * (Math.sign(row(best) - row(cell)) + 1) + Math.sign((best % 32) - (cell % 32)) + 1;
  });
}

// comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
function foosball(q) {
  const [round, ball, rows] = [q[2], q[3], q.slice(4, 30)];
  if (round % 200 === 0) { // a quarter begins: spread them; each time four others rest
    return rows.map((_, man) => ((man + round / 50) % 26 < 22 ? (man % 9) - 4 : 100));
  }
  // Within a quarter one man may take one step: towards the ball.
  let nearest = -1;
  rows.forEach((row, man) => {
    const away = Math.abs(row) <= 4 && row !== ball;
    if (away && (nearest < 0 || Math.abs(row - ball) < Math.abs(rows[nearest] - ball))) nearest = man;
  });
  if (nearest >= 0) rows[nearest] += Math.sign(ball - rows[nearest]);
  return rows;
}

// Push. A slot and a direction: the push that adds most to your score in this turn.
function push(q) {
  const [seat, coins] = [q[2], q.slice(3, 64)];
  const ways = [[-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0]]; // up-left, up-right, left, right, down-left, ...
  const homes = [[-4, 0], [-4, 4], [0, 4], [4, 0], [4, -4], [0, -4]]; // rows and slanted columns
  const mine = [[3, 4, 5], [2, 4, 5], [0, 2, 4], [0, 1, 2], [0, 1, 3], [1, 3, 5]][seat];
  const length = (r, c) => Math.max(Math.abs(r), Math.abs(c), Math.abs(r + c));
  const bonus = (r, c) => { // what a coin is worth to you there
    const gaps = homes.map((home) => length(r - home[0], c - home[1]));
    return Math.max(0, Math.min(...gaps.filter((_, other) => other !== seat)) - gaps[seat]);
  };
  let [best, answer, slot] = [-1000, [0, mine[0]], 0]; // if there is nothing to push, anything is accepted
  for (const r of range(-4, 5)) {
    for (const c of range(Math.max(-4, -4 - r), Math.min(4, 4 - r) + 1)) {
      for (const way of mine) {
        const to = [r + ways[way][0], c + ways[way][1]];
        const gain = coins[slot] * (bonus(...to) - bonus(r, c));
        if (coins[slot] > 0 && length(...to) <= 4 && gain > best) [best, answer] = [gain, [slot, way]];
      }
      slot += 1;
    }
  }
  return answer;
}

const walls = new Set(); // each wall is told once: remember it

// Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
function target(q) {
  const [own, wall, ...enemies] = q;
  walls.add(wall); // 4096, no wall, does no harm
  const around = (value) => (value + 64) % 64;
  const gap = (a, b) => Math.min(around(a - b), around(b - a)); // the shorter way round
  const row = (cell) => Math.floor(cell / 64);
  const room = (cell) => Math.min(...enemies.map((enemy) => gap(row(cell), row(enemy)) + gap(cell % 64, enemy % 64)));
  let [best, answer] = [room(own), 2];
  for (const [move, down, right] of [[0, -1, 0], [1, 0, -1], [3, 0, 1], [4, 1, 0]]) {
    const to = around(row(own) + down) * 64 + around((own % 64) + right);
    if (!walls.has(to) && room(to) > best) [best, answer] = [room(to), move]; // where an enemy stands there is no room
  }
  return [answer];
}

const game = process.env.REFEREE_GAME;
const think = { football, foosball, push, target }[game];
if (!think) throw new Error(`REFEREE_GAME is ${game}, and I cannot play that`);
console.error(`I play ${game} in seat ${process.env.REFEREE_SEAT}`); // debug to standard error only
let number = 0;
// One line is one question, until the game is over. Its first integer says how many follow.
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  number += 1;
  const [count, ...question] = line.split(" ").map(Number);
  if (question.length !== count) return; // the input has ended within a question
  process.stdout.write(`@${number} ${think(question).join(" ")}\n`); // the tag, the answer; node flushes by itself
});
