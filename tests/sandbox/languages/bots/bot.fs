#! /usr/bin/env gforth
\ Each answer is the sum of the question's integers, modulo 5.
create line 65536 allot
: digit? ( c -- f ) [char] 0 [char] 9 1+ within ;
: total ( a u -- n ) 0 0 2swap over + swap ?do
    i c@ dup digit? if [char] 0 - swap 10 * + else drop + 0 then loop + ;
: main begin line 65535 stdin read-line throw while line swap total 5 mod 1 .r cr stdout flush-file throw repeat ;
main bye
