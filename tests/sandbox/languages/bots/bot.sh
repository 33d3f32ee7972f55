#!/bin/sh
# Each answer is the sum of the question's integers, modulo 5.
while read -r line; do
    sum=0
    for value in $line; do
        sum=$((sum + value))
    done
    echo $((sum % 5))
done
