#!/usr/bin/env -S octave-cli -qf
% A bot to begin with. It plays all four games, each in a function of its own: keep the one that you want and make it
% better. What the integers of a question and of an answer mean stands in the referee's protocol.md. Octave counts from
% 1 and the protocol from 0: hence many a + 1.
1;

% Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
function answer = football(q)
  turn = q(1); seat = q(2); p = q(3); k = q(4);
  homes = [0 31 992 1023];                        % a cell is 32 * row + column
  home = homes(seat + 1);
  own = q(10 + seat * p + (1:p));                 % where your players are
  balls = q(10 + 4 * p + (1:1024));               % how many balls lie on each cell
  row = @(cell) floor(cell / 32);
  square = @(a, b) (row(a) - row(b)) .^ 2 + (mod(a, 32) - mod(b, 32)) .^ 2;
  steps = @(a, b) max(abs(row(a) - row(b)), abs(mod(a, 32) - mod(b, 32)));
  if turn == 0                                    % spread them over the 16x16 cells around home
    place = floor((0:p-1) * 256 / p);
    answer = 32 * abs(row(home) - floor(place / 16)) + abs(mod(home, 32) - mod(place, 16));
    return
  end
  cells = 0:1023;
  from_home = square(cells, home);
  answer = zeros(1, p);
  for i = 1:p
    cell = own(i);
    if balls(cell + 1) > 0                        % kick: of all cells in range the one nearest to home
      cost = from_home;
      cost(square(cells, cell) > k * k) = Inf;
    else                                          % the nearest ball, and among equals homeward
      cost = 2048 * steps(cells, cell) + from_home;
      cost(balls == 0) = Inf;
    end
    [~, best] = min(cost);
    to = cells(best);
    if balls(cell + 1) > 0
      answer(i) = 9 + to;
    else
      answer(i) = 3 * (sign(row(to) - row(cell)) + 1) + sign(mod(to, 32) - mod(cell, 32)) + 1;
    end
  end
end

% comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
function rows = foosball(q)
  round = q(3); ball = q(4); rows = q(5:30);
  if mod(round, 200) == 0                         % a quarter begins: spread them; each time four others rest
    men = 0:25;
    rows = mod(men, 9) - 4;
    rows(mod(men + round / 50, 26) >= 22) = 100;
    return
  end
  gap = abs(rows - ball);                         % within a quarter one man may take one step: towards the ball
  gap(abs(rows) > 4 | gap == 0) = Inf;
  [least, man] = min(gap);
  if least < Inf
    rows(man) += sign(ball - rows(man));
  end
end

% How many steps from the middle of the hexagon to each of these slots.
function steps = length_of(slots)
  steps = max([abs(slots), abs(sum(slots, 2))], [], 2);
end

% Push. A slot and a direction: the push that adds most to your score in this turn.
function answer = push(q)
  seat = q(3) + 1; coins = q(4:64);
  homes = [-4 0; -4 4; 0 4; 4 0; 4 -4; 0 -4];     % rows and slanted columns
  ways = [-1 0; -1 1; 0 -1; 0 1; 1 -1; 1 0];      % up-left, up-right, left, right, down-left, down-right
  mine = [3 4 5; 2 4 5; 0 2 4; 0 1 2; 0 1 3; 1 3 5](seat, :);
  [c, r] = ndgrid(-4:4, -4:4);                    % in reading order, and corners that are cut off
  on_board = abs(r + c) <= 4;
  slots = [r(on_board) c(on_board)];
  gap = @(slots, home) length_of(slots - homes(home, :));
  nearest = @(slots, others) min(cell2mat(arrayfun(@(home) gap(slots, home), others, "UniformOutput", false)), [], 2);
  bonus = @(slots) max(0, nearest(slots, setdiff(1:6, seat)) - gap(slots, seat));   % what a coin is worth to you there
  for i = 1:3
    to = slots + ways(mine(i) + 1, :);
    gain(i, :) = coins .* (bonus(to) - bonus(slots))';
    gain(i, length_of(to)' > 4 | coins == 0) = -Inf;
  end
  [~, best] = max(gain(:));                       % column by column: slot by slot
  answer = [floor((best - 1) / 3), mine(mod(best - 1, 3) + 1)];
end

% Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
function answer = target(q)
  persistent walls = false(1, 4097);              % each wall is told once: remember it
  own = q(1); enemies = q(3:end);
  walls(q(2) + 1) = true;                         % 4096, no wall, does no harm
  row = @(cell) floor(cell / 64);
  gap = @(a, b) min(mod(a - b, 64), mod(b - a, 64));   % the shorter way round
  room = @(cell) min(gap(row(cell), row(enemies)) + gap(mod(cell, 64), mod(enemies, 64)));
  best = room(own);
  answer = 2;
  for way = [0 1 3 4; -1 0 0 1; 0 -1 1 0]         % each with its rows down and columns right
    to = mod(row(own) + way(2), 64) * 64 + mod(mod(own, 64) + way(3), 64);
    if ~walls(to + 1) && room(to) > best          % where an enemy stands there is no room at all
      best = room(to);
      answer = way(1);
    end
  end
end

game = getenv("REFEREE_GAME");
fprintf(stderr, "I play %s in seat %s\n", game, getenv("REFEREE_SEAT"));   % debug to standard error only
games = struct("football", @football, "foosball", @foosball, "push", @push, "target", @target);
number = 0;
% A question is how many integers follow, then they. (fgetl would wait for the first letter of the next line.)
while ! isempty(count = fscanf(stdin, "%d", 1))   % until the game is over
  number += 1;
  question = fscanf(stdin, "%d", count)';
  if numel(question) < count, break; end          % the input has ended within a question
  answer = games.(game)(question);
  printf("@%d%s\n", number, sprintf(" %d", answer));   % the tag says which question this answers
  fflush(stdout);                                 % or nobody sees it
end
