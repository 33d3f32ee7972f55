#!/usr/bin/env octave-cli
% Each answer is the sum of the question's integers, modulo 5.
while true
  count = fscanf(stdin, "%d", 1);
  if isempty(count), break, end
  values = fscanf(stdin, "%d", count);
  printf("%d\n", mod(count + sum(values), 5));
  fflush(stdout);
end
