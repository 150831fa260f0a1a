/** Burns one core until its parent has ended. */
const parent = process.ppid;
while (process.ppid === parent) {
  for (const until = performance.now() + 100; performance.now() < until; );
}
