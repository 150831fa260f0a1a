import { createRequire } from "node:module";

/**
 * Node's HTTP, as CommonJS has it. An ES module that imports it gets all of its names at once, also those of
 * the WebSocket of browsers, for which Node.js loads another client of HTTP:
 * more than the server takes to load.
 */
export const nodeHttp: typeof import("node:http") = createRequire(import.meta.url)("node:http");
