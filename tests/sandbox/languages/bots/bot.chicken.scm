#!/usr/bin/env -S csi -s
; Each answer is the sum of the question's integers, modulo 5.
(import (chicken io) (chicken string))
(let loop ((line (read-line)))
  (unless (eof-object? line)
    (print (modulo (apply + (map string->number (string-split line))) 5))
    (flush-output)
    (loop (read-line))))
