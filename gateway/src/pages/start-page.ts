import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { escapeHtml } from "connect-rest-runtime/internal";
import { methodPath } from "../call/method-path.ts";
import { curlCommand, type Examples } from "./example.ts";

/** The comments on a service and its methods (by local name) in the proto files. */
export interface ServiceComments {
  readonly service: string;
  readonly methods: Readonly<Record<string, string>>;
}

export interface StartPageOptions {
  readonly services: readonly DescService[];
  /** Comments by full service name. */
  readonly comments: ReadonlyMap<string, ServiceComments>;
  readonly examples: Examples;
  /** Whether reflection is enabled, so that clients can fetch the schema. */
  readonly hasReflection: boolean;
}

const STYLE = `
:root { color-scheme: light dark; --text: #1c1e21; --dim: #5b616a; --line: #d8dce2; --code: #f3f4f6; --link: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8eb; --dim: #9aa2ad; --line: #363b42; --code: #1f2328; --link: #8ab4f8; }
  body { background: #14161a; }
}
body { color: var(--text); font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 56rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { border-top: 1px solid var(--line); font-size: 1.2rem; margin-top: 2rem; padding-top: 1.2rem; }
h3 { font-size: 1rem; margin-bottom: 0; } p { margin: .3rem 0; max-width: 46rem; white-space: pre-line; }
a { color: var(--link); } .dim { color: var(--dim); font-weight: normal; }
pre { background: var(--code); border-radius: 6px; overflow-x: auto; padding: .6rem .8rem; }
pre, code { font: .85rem/1.5 ui-monospace, monospace; }
`;

/**
 * Renders the page at `/`: every service and method with its comment and a command that calls it. `url` has
 * no trailing slash.
 */
export function startPage(options: StartPageOptions, url: string): string {
  const contents = options.services.map(
    ({ typeName }) => `<li><a href="#${escapeHtml(typeName)}"><code>${escapeHtml(typeName)}</code></a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Connect REST gateway</title>
<style>${STYLE}</style>
<h1>Connect REST gateway</h1>
<p>REST APIs as RPC, by Connect, gRPC and gRPC-Web on this one port.${options.hasReflection ? " Clients learn the schema by reflection." : ""} Health is
at <a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a> and <code>grpc.health.v1</code>.</p>
<ul>
${contents.join("\n")}
</ul>
${options.services.map((service) => serviceSection(service, options, url)).join("\n")}
</html>
`;
}

function serviceSection(service: DescService, options: StartPageOptions, url: string): string {
  const comments = options.comments.get(service.typeName);
  const methods = service.methods.map((method) => {
    return methodSection(method, comments?.methods[method.localName], options.examples, url);
  });
  const name = escapeHtml(service.typeName);
  return `<h2 id="${name}"><code>${name}</code></h2>\n${paragraph(comments?.service)}${methods.join("\n")}`;
}

function methodSection(
  method: DescMethod,
  comment: string | undefined,
  examples: Examples,
  url: string,
): string {
  const kind =
    method.methodKind === "unary" ? "" : ` <span class="dim">${method.methodKind.replace("_", " ")}</span>`;
  const command = curlCommand(method, url, examples);
  const example = command === undefined ? "" : `<pre>${escapeHtml(command)}</pre>\n`;
  const id = escapeHtml(methodPath(method));
  return `<h3 id="${id}"><code>${escapeHtml(method.name)}</code>${kind}</h3>\n${paragraph(comment)}${example}`;
}

function paragraph(text: string | undefined): string {
  return text === undefined || text.trim() === "" ? "" : `<p>${escapeHtml(text.trim())}</p>\n`;
}
