// A starter bot: it reads a question, one line, and writes an answer, one line. The function `think` plays: make
// it better. The referee's protocol.md says what the integers mean.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using Integers = std::vector<int>;

// The game's function goes here.

int main() {
    const char *game = std::getenv("REFEREE_GAME"), *seat = std::getenv("REFEREE_SEAT");
    // Debug to standard error only.
    std::cerr << "I play " << (game ? game : "a game") << " in seat " << (seat ? seat : "?") << "\n";
    std::string line;
    // Each line is a question, until the game is over. Half a line is no question.
    for (int number = 1; std::getline(std::cin, line) && !std::cin.eof(); number++) {
        std::istringstream words(line);
        Integers question;
        for (int integer; words >> integer;) question.push_back(integer);
        question.erase(question.begin());  // the first one is only their number
        std::cout << '@' << number;  // the tag says which question this answers
        for (int integer : think(question)) std::cout << ' ' << integer;
        std::cout << std::endl;  // this flushes, or nobody sees it
    }
}
