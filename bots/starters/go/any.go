// A frame for any game: q has the integers of the question. Return those of your answer.
func think(q []int) []int {
	return []int{0} // change this: the rules say what an answer is
}
