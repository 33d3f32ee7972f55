# A frame for any game: q has the integers of the question. Return those of your answer.
def think(q):
    return [0]                                   # change this: the rules say what an answer is
