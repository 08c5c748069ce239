// SPDX-License-Identifier: BSD-3-Clause
// Threads of a pool, parallel streams, garbage, and a process.
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

public class Pools {
	public static void main(String[] arguments) throws Exception {
		var pool = Executors.newFixedThreadPool(4);
		List<Future<Integer>> results = new ArrayList<>();
		long sum = 0;

		for (int i = 0; i < 40; i++) {
			final int number = i;
			results.add(pool.submit(() -> new byte[100000 + number].length));
		}
		for (var result : results)
			sum += result.get();
		pool.shutdown();
		System.out.println(sum + " " + LongStream.range(0, 1000000).parallel().filter(n -> n % 3 == 0).sum());
		System.gc();
		System.out.println(new ProcessBuilder("sh", "-c", "exit 5").start().waitFor());
		System.exit(7);
	}
}
