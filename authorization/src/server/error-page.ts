import { type HttpExchange, UNCACHED } from "../host.ts";
import { Html, html } from "../text/html.ts";
import { answerIn } from "./oauth-error.ts";

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Shows a person that a sign-in cannot continue, in cases in which the browser must not be redirected to the
 * client (RFC 6749 section 4.1.2.1).
 */
export function sendErrorPage(
  exchange: HttpExchange,
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>>,
): void {
  const onward = html`<p>Go back to the application and start again. If that does not help, tell its makers about this error: <code>${error}</code></p>`;
  send(exchange, status, page("Sign-in failed", description, onward), headers);
}

/**
 * Shows a page about an invalid request of a self-registered client, with the address that the client chose.
 * If this server redirected the browser, anyone could register a client and use this server to send people
 * anywhere (RFC 9700 section 4.11.2). Returns the error.
 */
export function sendOnwardPage(exchange: HttpExchange, address: URL): string {
  const answer = answerIn(address);
  const error = answer.get("error") ?? "invalid_request";
  const description = answer.get("error_description") ?? "";
  const onward = html`<p>Nobody has verified this application. It wants you at <code>${address.host}</code>; go there only if you know where that is, and have just started to sign in from there.</p>
<p><a href="${address.href}" rel="noreferrer nofollow">Go back to the application, with this error: ${error}</a></p>`;
  send(exchange, 400, page("Sign-in failed", description, onward), {});
  return error;
}

function send(
  exchange: HttpExchange,
  status: number,
  { text: body }: Html,
  headers: Readonly<Record<string, string>>,
): void {
  exchange.send(
    status,
    {
      "content-type": "text/html; charset=utf-8",
      "content-length": String(Buffer.byteLength(body)),
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      ...UNCACHED,
      ...headers,
    },
    body,
  );
}

const STYLE = "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}";

function page(title: string, text: string, onward: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${new Html(STYLE)}</style></head>
<body><main><h1>${title}</h1>
<p>${text}</p>
${onward}
</main></body>
</html>
`;
}
