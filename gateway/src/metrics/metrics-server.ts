import type http from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { UNCACHED } from "../listener/rejection.ts";
import { type SidePlace, type SideServer, sendText, startSideServer } from "../listener/side-server.ts";
import type { MetricsFormat, RenderedMetrics } from "./metrics.ts";

const compressed = promisify(gzip);

/** A source of metrics. */
interface MetricsSource {
  render(format: MetricsFormat): Promise<RenderedMetrics>;
}

/** Serves metrics at `/metrics` on a separate port. Rejects if the server cannot listen on the port. */
export async function startMetricsServer(metrics: MetricsSource, place: SidePlace): Promise<SideServer> {
  const { url, close } = await startSideServer(place, (request, response) => {
    void respond(metrics, request, response);
  });
  return { url: `${url}/metrics`, close };
}

/**
 * Returns whether an Accept or Accept-Encoding header lists a name with a weight above 0 (RFC 9110 section
 * 12.4.2).
 */
function takes(header: string, name: string): boolean {
  return header.split(",").some((item) => {
    const [value = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return value === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

async function respond(
  metrics: MetricsSource,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || request.url?.split("?", 1)[0] !== "/metrics") {
    sendText(response, 404, "only GET /metrics is served here");
    return;
  }
  const { accept = "", "accept-encoding": encodings = "" } = request.headers;
  try {
    const format = takes(accept, "application/openmetrics-text") ? "openmetrics" : "prometheus";
    const { contentType, body } = await metrics.render(format);
    const headers = { "content-type": contentType, vary: "accept, accept-encoding", ...UNCACHED };
    if (takes(String(encodings), "gzip")) {
      response.writeHead(200, { ...headers, "content-encoding": "gzip" }).end(await compressed(body));
    } else {
      response.writeHead(200, headers).end(body);
    }
  } catch {
    response.writeHead(500).end();
  }
}
