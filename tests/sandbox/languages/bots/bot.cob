*> Each answer is the sum of the question's integers, modulo 5.
identification division.
program-id. bot.
data division.
working-storage section.
01 line-in pic x(4096).
01 word pic x(20).
01 at-char pic 9(5).
01 total pic 9(15).
01 answer pic 9.
procedure division.
    perform forever
        move spaces to line-in
        accept line-in on exception stop run end-accept
        if line-in = spaces stop run end-if
        move 0 to total
        move 1 to at-char
        perform until at-char > 4096 or line-in(at-char:) = spaces
            unstring line-in delimited by space into word with pointer at-char
            add function numval(word) to total
        end-perform
        compute answer = function mod(total, 5)
        display answer
    end-perform.
