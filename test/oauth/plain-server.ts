import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closed, type ForeignServer } from "./foreign-server.ts";

/**
 * Starts a server of the protocol revision 2025-03-26 without metadata: only `/authorize`, `/token` and
 * `/register`.
 */
export async function startPlainServer(): Promise<ForeignServer> {
  const seen: string[] = [];
  const protocolVersions: Array<string | undefined> = [];
  const plain = new PlainServer();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    seen.push(`${request.method} ${url.pathname}`);
    if (url.pathname.startsWith("/.well-known/")) {
      protocolVersions.push(request.headers["mcp-protocol-version"] as string | undefined);
    }
    void plain.respond(url, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen, protocolVersions, close: () => closed(server) };
}

class PlainServer {
  private readonly clients = new Map<string, string[]>();
  private readonly codes = new Map<string, { readonly client: string; readonly challenge: string }>();
  private readonly refreshTokens = new Set<string>();
  private readonly accessTokens = new Set<string>();

  async respond(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const json = (status: number, value: object) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (url.pathname === "/register") {
      const id = randomUUID();
      const { redirect_uris: uris } = JSON.parse(body);
      this.clients.set(id, uris);
      json(201, { client_id: id, redirect_uris: uris, token_endpoint_auth_method: "none" });
    } else if (url.pathname === "/authorize") {
      this.authorize(url.searchParams, response);
    } else if (url.pathname === "/token") {
      json(...this.token(new URLSearchParams(body)));
    } else if (url.pathname === "/") {
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      response.writeHead(this.accessTokens.has(token) ? 200 : 401).end();
    } else {
      response.writeHead(404).end();
    }
  }

  private authorize(query: URLSearchParams, response: ServerResponse): void {
    const client = query.get("client_id") ?? "";
    const redirectUri = query.get("redirect_uri") ?? "";
    if (this.clients.get(client)?.includes(redirectUri) !== true) {
      response.writeHead(400).end("unknown client or address");
      return;
    }
    const code = randomUUID();
    this.codes.set(code, { client, challenge: query.get("code_challenge") ?? "" });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
  }

  private token(form: URLSearchParams): [number, object] {
    if (form.get("grant_type") === "refresh_token") {
      if (!this.refreshTokens.delete(form.get("refresh_token") ?? "")) {
        return [400, { error: "invalid_grant" }];
      }
      return [200, this.issue()];
    }
    const code = this.codes.get(form.get("code") ?? "");
    this.codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (code?.client !== form.get("client_id") || code?.challenge !== challenge) {
      return [400, { error: "invalid_grant" }];
    }
    return [200, this.issue()];
  }

  private issue(): object {
    const [access, refresh] = [randomUUID(), randomUUID()];
    this.accessTokens.add(access);
    this.refreshTokens.add(refresh);
    return { access_token: access, token_type: "Bearer", expires_in: 3600, refresh_token: refresh };
  }
}
