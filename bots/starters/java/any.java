    // A frame for any game: q has the integers of the question. Return those of your answer.
    static int[] think(int[] q) {
        return new int[] {0}; // change this: the rules say what an answer is
    }
