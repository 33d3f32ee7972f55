% comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
function rows = think(q)
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
