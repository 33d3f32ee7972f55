(* Each answer is the sum of the question's integers, modulo 5. *)
fun main () =
  case TextIO.inputLine TextIO.stdIn of
    NONE => ()
  | SOME line =>
      let val values = List.mapPartial Int.fromString (String.tokens Char.isSpace line)
      in print (Int.toString (List.foldl op+ 0 values mod 5) ^ "\n"); TextIO.flushOut TextIO.stdOut; main ()
      end
