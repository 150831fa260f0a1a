/**
 * Checks the built site: each internal link and anchor has a target, and no page loads a resource of another
 * origin.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** The contents of a built site, by path, such as `docs/errors.html`. Only texts have a content. */
export type Site = ReadonlyMap<string, string>;

/** Elements that load an address. An `<a>` loads nothing until a reader follows the link. */
const LOADING = /<(?:audio|embed|iframe|image|img|input|link|object|script|source|track|use|video)\b[^>]*>/g;
const ADDRESS = /\s(?:data|href|poster|src|srcset|xlink:href)="([^"]*)"/g;

/** Addresses that style sheets and scripts load. */
const LOADED_BY_STYLE = /url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)/g;
const LOADED_BY_SCRIPT =
  /(?:\b(?:fetch|import|importScripts|sendBeacon|open|Worker|WebSocket|EventSource)\(\s*(?:"[A-Z]+",)?|\bfrom\s*|\.(?:src|href)\s*=\s*)["'`]([^"'`]+)/g;

const FOREIGN = /^(?:[a-z]+:)?\/\//i;

/** Returns a line for each dead link and each foreign resource. */
export function problemsOf(site: Site): string[] {
  return [...site].flatMap(([path, text]) => {
    if (path.endsWith(".html")) return [...deadLinks(path, text, site), ...foreign(path, loadedByPage(text))];
    if (path.endsWith(".css")) return foreign(path, found(text, LOADED_BY_STYLE));
    if (path.endsWith(".js")) return foreign(path, found(text, LOADED_BY_SCRIPT));
    return [];
  });
}

function deadLinks(page: string, html: string, site: Site): string[] {
  return addressesIn(html)
    .filter((address) => !/^[a-z]+:|^\/\//i.test(address))
    .filter((address) => !hasTarget(page, address, site))
    .map((address) => `${page}: the link ${address} has no target`);
}

function hasTarget(page: string, address: string, site: Site): boolean {
  const [path = "", fragment = ""] = decodeURI(address).split("#");
  const absolute = posix.join("/", path.startsWith("/") ? "" : posix.dirname(page), path).slice(1);
  const target =
    path === "" ? page : absolute === "" || absolute.endsWith("/") ? `${absolute}index.html` : absolute;
  const text = site.get(target);
  return text !== undefined && (fragment === "" || text.includes(` id="${fragment}"`));
}

function foreign(path: string, addresses: readonly string[]): string[] {
  return addresses
    .filter((address) => FOREIGN.test(address))
    .map((address) => `${path}: loads ${address} from another origin`);
}

function loadedByPage(html: string): string[] {
  const styles = [...html.matchAll(/<style[^>]*>(.*?)<\/style>|\sstyle="([^"]*)"/gs)].map(([style]) => style);
  const scripts = [...html.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, script = ""]) => script);
  return [
    ...(html.match(LOADING) ?? []).flatMap(addressesIn),
    ...styles.flatMap((style) => found(unescaped(style), LOADED_BY_STYLE)),
    ...scripts.flatMap((script) => found(script, LOADED_BY_SCRIPT)),
  ];
}

function addressesIn(html: string): string[] {
  return found(html, ADDRESS).map(unescaped);
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, first, second]) => first ?? second ?? "");
}

function unescaped(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

/** Reads a built site. */
export function readSite(folder: string): Site {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      const path = posix.normalize(file.slice(folder.length + 1));
      return [path, /\.(?:html|css|js|svg)$/.test(name) ? readFileSync(file, "utf8") : ""];
    }),
  );
}

if (import.meta.main) {
  const site = readSite(join(import.meta.dirname, ".vitepress/dist"));
  const problems = problemsOf(site);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`${site.size} files checked, ${problems.length} problems\n`);
  if (problems.length > 0) process.exitCode = 1;
}
