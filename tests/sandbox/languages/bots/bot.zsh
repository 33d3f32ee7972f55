#!/usr/bin/env zsh
# Each answer is the sum of the question's integers, modulo 5.
while read -r line; do
    echo $(((${line// /+}) % 5))
done
