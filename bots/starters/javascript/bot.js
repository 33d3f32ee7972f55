#!/usr/bin/env node
// A starter bot: it reads a question, one line, and writes an answer, one line. The function `think` plays: make
// it better. The referee's protocol.md says what the integers mean.
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
