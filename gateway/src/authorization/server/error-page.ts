import { type HttpResponse, sendResponse } from "../../listener/http.ts";
import { UNCACHED } from "../../listener/refusal.ts";
import { escapeHtml } from "../../text/escape-html.ts";

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Tells a person that a sign-in cannot go on: where the browser must not be sent back to the client (RFC 6749 section 4.1.2.1). */
export function sendErrorPage(
  response: HttpResponse,
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>>,
): void {
  const body = page(error, description);
  sendResponse(
    response,
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

function page(error: string, description: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign-in failed</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}</style></head>
<body><main><h1>Sign-in failed</h1>
<p>${escapeHtml(description)}</p>
<p>Go back to the application and start again. If that does not help, tell its makers about this error: <code>${escapeHtml(error)}</code></p>
</main></body>
</html>
`;
}
