#!/usr/bin/env perl
# Each answer is the sum of the question's integers, modulo 5.
use List::Util 'sum';
$| = 1;
print sum(split) % 5, "\n" while <STDIN>;
