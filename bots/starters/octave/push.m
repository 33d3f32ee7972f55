% How many steps from the middle of the hexagon to each of these slots.
function steps = length_of(slots)
  steps = max([abs(slots), abs(sum(slots, 2))], [], 2);
end

% Push. A slot and a direction: the push that adds most to your score in this turn.
function answer = think(q)
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
