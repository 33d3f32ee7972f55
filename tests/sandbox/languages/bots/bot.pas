{ Each answer is the sum of the question's integers, modulo 5. }
program bot;
var sum, value: int64;
begin
  while not eof do begin
    sum := 0;
    while not seekeoln do begin
      read(value);
      sum := sum + value;
    end;
    readln;
    writeln(sum mod 5);
    flush(output);
  end;
end.
