#!/usr/bin/env -S ecl --shell
; Each answer is the sum of the question's integers, modulo 5.
(loop for line = (read-line *standard-input* nil)
      while line
      do (with-input-from-string (words line)
           (format t "~a~%" (mod (loop for value = (read words nil) while value sum value) 5))
           (finish-output)))
