#!/usr/bin/env php
<?php
// Each answer is the sum of the question's integers, modulo 5.
while (($line = fgets(STDIN)) !== false) {
    echo array_sum(explode(' ', trim($line))) % 5, "\n";
}
