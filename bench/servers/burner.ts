/** Uses one core fully until its parent exits. */
const parent = process.ppid;
while (process.ppid === parent) {
  for (const until = performance.now() + 100; performance.now() < until; );
}
