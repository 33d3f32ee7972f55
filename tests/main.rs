//! What the program does as a whole.

mod house_bots;
