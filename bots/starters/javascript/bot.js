#!/usr/bin/env node
// A bot to begin with: a line is a question, a line is its answer. The function `think` plays: make it better. What the
// integers mean stands in the referee's protocol.md.
"use strict";

// The game's function goes here.

console.error(`I play ${process.env.REFEREE_GAME} in seat ${process.env.REFEREE_SEAT}`); // debug to standard error only
let number = 0;
// One line is one question, until the game is over. Its first integer says how many follow.
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  number += 1;
  const [count, ...question] = line.split(" ").map(Number);
  if (question.length !== count) return; // the input has ended within a question
  process.stdout.write(`@${number} ${think(question).join(" ")}\n`); // the tag, the answer; node flushes by itself
});
