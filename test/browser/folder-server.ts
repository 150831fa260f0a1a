/** Serves the files of a folder, as an ordinary file server does. */
import { readFileSync } from "node:fs";
import http from "node:http";
import { extname, join } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

export function serveFolder(folder: string): http.Server {
  return http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = join(folder, decodeURI(pathname), pathname.endsWith("/") ? "index.html" : "");
    try {
      const content = readFileSync(file);
      response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream").end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
}
