#!/usr/bin/env racket
#lang racket/base
; Each answer is the sum of the question's integers, modulo 5.
(require racket/string)
(for ([line (in-lines)])
  (displayln (modulo (apply + (map string->number (string-split line))) 5))
  (flush-output))
