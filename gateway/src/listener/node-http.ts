import { createRequire } from "node:module";

/**
 * Node's HTTP module, loaded as CommonJS. An ES import would evaluate all of its exports. One of them is the
 * browser WebSocket, for which Node.js loads another HTTP client that is larger than the server.
 */
export const nodeHttp: typeof import("node:http") = createRequire(import.meta.url)("node:http");
