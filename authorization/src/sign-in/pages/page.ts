import { hash } from "node:crypto";
import { type HttpExchange, UNCACHED } from "../../host.ts";
import { Html, html } from "../../text/html.ts";

/** A page for a person. */
export interface Page {
  readonly status: number;
  /** The error that the log and metrics record for the request. Default: the request succeeded. */
  readonly outcome?: string | undefined;
  readonly title: string;
  readonly body: Html;
  /** Additional origins to which a form on the page may lead, besides the page's origin. */
  readonly formTargets?: readonly string[] | undefined;
}

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
code, .host { overflow-wrap: anywhere; font-weight: 600; font-family: ui-monospace, monospace; }
.name { overflow-wrap: anywhere; unicode-bidi: isolate; }
.notice { border: 2px solid; border-radius: .5rem; padding: .75rem 1rem; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button, .button { font: inherit; padding: .6rem 1.4rem; border: 2px solid; border-radius: .5rem; cursor: pointer;
  background: Canvas; color: CanvasText; text-decoration: none; display: inline-block; }
button.main { background: CanvasText; color: Canvas; border-color: CanvasText; }
:focus-visible { outline: 3px solid Highlight; outline-offset: 3px; }
`;

const STYLE_HASH = `'sha256-${hash("sha256", STYLE, "base64")}'`;

/**
 * Sends a page that runs no scripts, loads nothing, cannot be framed, and whose forms lead only to the
 * gateway and the given origins. Browsers also check the redirects after a form (CSP 3 section 6.4.2), so the
 * redirects after a consent must be listed. Returns the outcome of the page.
 */
export function sendPage(exchange: HttpExchange, page: Page): string | undefined {
  const text = document(page).text;
  const policy = [
    "default-src 'none'",
    `style-src ${STYLE_HASH}`,
    `form-action ${["'self'", ...(page.formTargets ?? [])].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    "content-security-policy": policy.join("; "),
    // for browsers that do not support frame-ancestors
    "x-frame-options": "DENY",
    // not no-referrer, which would hide where a form comes from
    "referrer-policy": "same-origin",
    "permissions-policy": "publickey-credentials-get=()",
    ...UNCACHED,
  };
  exchange.send(page.status, headers, exchange.request.method === "HEAD" ? "" : text);
  return page.outcome;
}

function document({ title, body }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}
