#!/usr/bin/env node
// Each answer is the sum of the question's integers, modulo 5.
require('readline').createInterface({ input: process.stdin }).on('line', line => {
  console.log(line.split(' ').reduce((sum, word) => sum + Number(word), 0) % 5)
})
