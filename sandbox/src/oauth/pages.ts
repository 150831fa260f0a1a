import { parseCookie, stringifySetCookie } from "cookie";
import type { Call } from "../dispatch/call.ts";
import { type HeaderMap, type HttpResponse, html } from "../http/response.ts";
import { escapeHtml } from "../view/html.ts";

/** The name of the session cookie. */
const SESSION = "sandbox_user";

/** Returns the user who is logged in according to the cookie. */
export function loggedIn(call: Call): string | undefined {
  const user = parseCookie(call.headers.cookie ?? "")[SESSION];
  return user && call.world.db.get("SELECT name FROM users WHERE name = ?", user) ? user : undefined;
}

/** Returns a header that sets the session cookie. `undefined` logs the user out. */
export function sessionCookie(user: string | undefined): HeaderMap {
  const life = user === undefined ? { maxAge: 0 } : {};
  const cookie = {
    name: SESSION,
    value: user ?? "",
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    ...life,
  } as const;
  return { "set-cookie": stringifySetCookie(cookie) };
}

/**
 * Returns the user whose name and password a form contains, or `undefined` if the name or password is wrong.
 */
export function loginOf(call: Call): string | undefined {
  const name = call.body.fields.text("user") ?? "";
  const row = call.world.db.get<{ password: string }>("SELECT password FROM users WHERE name = ?", name);
  return row && row.password === call.body.fields.text("password") ? name : undefined;
}

function page(title: string, body: string): HttpResponse {
  const head = `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>`;
  return html(`${head}<body><h1>${escapeHtml(title)}</h1>${body}</body></html>\n`);
}

function hidden(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join("");
}

/**
 * Renders the page that asks a user to allow an application. Contains a login form if nobody is logged in.
 */
export function consentPage(
  app: string,
  user: string | undefined,
  action: string,
  values: Record<string, string>,
): HttpResponse {
  const login =
    '<label>Name <input name="user" autocomplete="username"></label>' +
    '<label>Password <input name="password" type="password" autocomplete="current-password"></label>';
  const who = user === undefined ? login : `<p>Logged in as ${escapeHtml(user)}</p>`;
  const buttons =
    '<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button>';
  return page(
    `Allow ${app}?`,
    `<form method="post" action="${action}">${hidden(values)}${who}${buttons}</form>`,
  );
}

export function messagePage(title: string, message: string, status = 200): HttpResponse {
  return { ...page(title, `<p>${escapeHtml(message)}</p>`), status };
}

/** Adds query parameters to an address. */
export function withQuery(address: string, values: Record<string, string | undefined>): string {
  const [before = "", fragment] = address.split("#");
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  const join = pairs.length === 0 ? "" : before.includes("?") ? "&" : "?";
  return `${before}${join}${pairs.join("&")}${fragment === undefined ? "" : `#${fragment}`}`;
}
