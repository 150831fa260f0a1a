import { startServer } from "../server.ts";
import { echoService } from "./echo.ts";

/** The echo service in a process of its own. Upon SIGUSR2 it prints the most memory it has used, in bytes. */
const server = await startServer({ ...echoService });
await server.warm;
process.on("SIGUSR2", () => process.stdout.write(`peak ${process.resourceUsage().maxRSS * 1024}\n`));
process.stdout.write(`ready on ${server.url}\n`);
