#!/usr/bin/env swipl
% Each answer is the sum of the question's integers, modulo 5.
:- initialization(main, main).
main :-
    read_line_to_string(user_input, Line),
    (   Line == end_of_file -> true
    ;   split_string(Line, " ", " ", Words),
        maplist([Word, Value]>>number_string(Value, Word), Words, Values),
        sum_list(Values, Sum), Answer is Sum mod 5,
        writeln(Answer), flush_output, main
    ).
