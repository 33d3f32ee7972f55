// Each answer is the sum of the question's integers, modulo 5.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		sum := 0
		for _, word := range strings.Fields(lines.Text()) {
			value, _ := strconv.Atoi(word)
			sum += value
		}
		fmt.Println(sum % 5)
	}
}
