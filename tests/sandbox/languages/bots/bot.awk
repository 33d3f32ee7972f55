#!/usr/bin/env -S mawk -W interactive -f
# Each answer is the sum of the question's integers, modulo 5.
{
    sum = 0
    for (i = 1; i <= NF; i++) sum += $i
    print sum % 5
    fflush()
}
