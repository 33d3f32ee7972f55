// Each answer is the sum of the question's integers, modulo 5.
fun main() {
    while (true) {
        val line = readLine() ?: break
        println(line.split(" ").map { it.toInt() }.sum() % 5)
    }
}
