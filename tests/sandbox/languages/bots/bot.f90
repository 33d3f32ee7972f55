! Each answer is the sum of the question's integers, modulo 5.
program bot
  implicit none
  character(len=4096) :: line
  integer :: values(1024), count, i, status
  do
     read (*, '(a)', iostat=status) line
     if (status /= 0) exit
     count = 0
     do i = 1, len_trim(line)
        if (line(i:i) /= ' ' .and. line(i + 1:i + 1) == ' ') count = count + 1
     end do
     read (line, *) values(1:count)
     print '(i0)', mod(sum(values(1:count)), 5)
     flush (6)
  end do
end program bot
