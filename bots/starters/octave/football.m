% Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
function answer = think(q)
  turn = q(1); seat = q(2); p = q(3); k = q(4);
  homes = [0 31 992 1023];                        % a cell is 32 * row + column
  home = homes(seat + 1);
  own = q(10 + seat * p + (1:p));                 % where your players are
  balls = q(10 + 4 * p + (1:1024));               % the number of balls on each cell
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
