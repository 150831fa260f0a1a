/**
 * Serves a page to a browser: modules of this repository and of npm packages, without types and without a
 * bundler.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const ROOT = join(import.meta.dirname, "../..");

/** Packages that the page's modules import by name. */
const PACKAGES = [
  "@bufbuild/protobuf",
  "@bufbuild/protobuf/codegenv2",
  "@bufbuild/protobuf/reflect",
  "@bufbuild/protobuf/wire",
  "@bufbuild/protobuf/wkt",
  "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js",
  "@connectrpc/connect",
  "@connectrpc/connect/protocol",
  "@connectrpc/connect/protocol-connect",
  "@connectrpc/connect/protocol-grpc-web",
  "@connectrpc/connect-web",
  "connect-rest-runtime/gen/connectrest/v1/annotations_pb.js",
  "connect-rest-runtime/gen/google/api/annotations_pb.js",
  "connect-rest-runtime/gen/google/api/httpbody_pb.js",
  "connect-rest-runtime/gen/google/rpc/error_details_pb.js",
];

export interface PageServer {
  /** The page's origin. */
  readonly url: string;
  /** Resolves with the page's first message. */
  readonly report: Promise<unknown>;
  close(): void;
}

/** Serves `page.ts`, which reads the gateway's address from its URL fragment. */
export async function servePage(): Promise<PageServer> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const server = http.createServer((request, response) => {
    if (request.method === "POST") {
      void json(request).then(resolve);
      response.end();
      return;
    }
    serve(request.url ?? "/", response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    report: promise,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function serve(path: string, response: http.ServerResponse): void {
  if (path === "/") {
    response.setHeader("content-type", "text/html").end(PAGE);
    return;
  }
  try {
    const source = readFileSync(join(ROOT, path), "utf8");
    const module = path.endsWith(".ts") ? stripTypeScriptTypes(source) : source;
    response.setHeader("content-type", "text/javascript").end(module);
  } catch {
    response.writeHead(404).end();
  }
}

const IMPORTS = Object.fromEntries(PACKAGES.map((name) => [name, pathOf(name)]));

const PAGE = `<!doctype html>
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module">
  const report = (problem) => fetch("/report", { method: "POST", body: JSON.stringify(problem) });
  addEventListener("error", ({ message }) => report(message));
  import("${"/test/browser/page.ts"}").then(({ run }) => run(location.hash.slice(1), "/report"), (error) => report(String(error)));
</script>`;

function pathOf(name: string): string {
  return `/${relative(ROOT, fileURLToPath(import.meta.resolve(name)))}`;
}
