// Each answer is the sum of the question's integers, modulo 5.
class Bot {
    public static void main(String[] words) throws Exception {
        var input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null;) {
            int sum = 0;
            for (String word : line.split(" ")) sum += Integer.parseInt(word);
            System.out.println(sum % 5);
        }
    }
}
