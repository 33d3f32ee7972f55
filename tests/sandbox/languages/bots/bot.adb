--  Each answer is the sum of the question's integers, modulo 5.
with Ada.Text_IO; use Ada.Text_IO;
with Ada.Integer_Text_IO;

procedure Bot is
   Sum, Value, Last : Natural;
begin
   while not End_Of_File loop
      declare
         Line : constant String := Get_Line;
         From : Positive := Line'First;
      begin
         Sum := 0;
         while From <= Line'Last loop
            Ada.Integer_Text_IO.Get (Line (From .. Line'Last), Value, Last);
            Sum := Sum + Value;
            From := Last + 1;
         end loop;
         Put_Line (Integer'Image (Sum mod 5));
         Flush;
      end;
   end loop;
end Bot;
