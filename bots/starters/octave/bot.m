#!/usr/bin/env -S octave-cli -qf
% A starter bot: it reads a question, one line, and writes an answer, one line. The function `think` plays: make
% it better. The referee's protocol.md says what the integers mean. Octave counts from 1 and the protocol from 0: hence
% many a + 1.
1;

% The game's function goes here.

fprintf(stderr, "I play %s in seat %s\n", getenv("REFEREE_GAME"), getenv("REFEREE_SEAT"));   % debug to standard error only
number = 0;
% A question is the number of its integers, then these. (fgetl would wait for the first letter of the next line.)
while ! isempty(count = fscanf(stdin, "%d", 1))   % until the game is over
  number += 1;
  question = fscanf(stdin, "%d", count)';
  if numel(question) < count, break; end          % the input has ended within a question
  printf("@%d%s\n", number, sprintf(" %d", think(question)));   % the tag says which question this answers
  fflush(stdout);                                 % or nobody sees it
end
