// Each answer is the sum of the question's integers, modulo 5.
object Bot {
  def main(words: Array[String]): Unit =
    for (line <- scala.io.Source.stdin.getLines) println(line.split(" ").map(_.toInt).sum % 5)
}
