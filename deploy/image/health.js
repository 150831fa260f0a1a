/**
 * The health check of the images, which contain no curl. Exits with 0 if the program responds to HEALTH_URL with a
 * status below 400.
 */
const url = process.env.HEALTH_URL ?? `http://127.0.0.1:${process.env.GATEWAY_PORT ?? 8080}/readyz`;
const { ok, status } = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(2000) });
process.stdout.write(`${url} responds with ${status}\n`);
process.exitCode = ok ? 0 : 1;
