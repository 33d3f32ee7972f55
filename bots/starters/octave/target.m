% Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
function answer = think(q)
  persistent walls = false(1, 4097);              % each wall is sent only once: remember it
  own = q(1); enemies = q(3:end);
  walls(q(2) + 1) = true;                         % 4096, no wall, does no harm
  row = @(cell) floor(cell / 64);
  gap = @(a, b) min(mod(a - b, 64), mod(b - a, 64));   % the shorter way round
  room = @(cell) min(gap(row(cell), row(enemies)) + gap(mod(cell, 64), mod(enemies, 64)));
  best = room(own);
  answer = 2;
  for way = [0 1 3 4; -1 0 0 1; 0 -1 1 0]         % each with its rows down and columns right
    to = mod(row(own) + way(2), 64) * 64 + mod(mod(own, 64) + way(3), 64);
    if ~walls(to + 1) && room(to) > best          % no room on an enemy's cell
      best = room(to);
      answer = way(1);
    end
  end
end
