import { startServer } from "../server.ts";
import { echoService } from "./echo.ts";

/** Runs the echo service in a separate process. On SIGUSR2 it prints its peak memory, in bytes. */
const server = await startServer({ ...echoService });
await server.warm;
process.on("SIGUSR2", () => process.stdout.write(`peak ${process.resourceUsage().maxRSS * 1024}\n`));
process.stdout.write(`ready on ${server.url}\n`);
