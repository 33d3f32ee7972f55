#!/usr/bin/env escript
%% Each answer is the sum of the question's integers, modulo 5.
main(_) -> answer(io:get_line("")).

answer(eof) -> ok;
answer(Line) ->
    Values = [list_to_integer(Word) || Word <- string:lexemes(string:trim(Line), " ")],
    io:format("~b~n", [lists:sum(Values) rem 5]),
    answer(io:get_line("")).
