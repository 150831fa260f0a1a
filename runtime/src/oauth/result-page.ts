import { createHash } from "node:crypto";

/** The final page for the user. */
export interface ResultPage {
  readonly title: string;
  readonly text: string;
}

const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color:#1a1a1a;background:#fff}" +
  "@media(prefers-color-scheme:dark){body{color:#eee;background:#111}}";

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/**
 * Renders the final page of a sign-in, with a Content-Security-Policy that allows no scripts, external
 * resources or frames.
 */
export function resultPage({ title, text }: ResultPage): { readonly html: string; readonly policy: string } {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main></body>
</html>
`;
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
  return { html, policy };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
