// Each answer is the sum of the question's integers, modulo 5.
#include <iostream>
#include <sstream>

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        long sum = 0;
        for (long value; words >> value;) sum += value;
        std::cout << sum % 5 << std::endl;
    }
}
