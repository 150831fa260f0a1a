/**
 * Writes the pages of a published package: its README, and the pages of docs/ that it links to. Links to
 * files outside the package become plain text.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Folders of packages, with the names of the packages in `node_modules`. */
export type PackageNames = ReadonlyMap<string, string>;

/**
 * Writes the pages below a folder.
 *
 * @param room the folder of the package in the repository
 */
export function writePages(room: string, target: string, names: PackageNames): void {
  const pages = reachable(join(room, "README.md"));
  for (const page of pages) {
    const place = placeOf(page, room);
    const text = readFileSync(page, "utf8").replace(LINK, (whole, text: string, link: string) => {
      const found = linkFrom(page, link, room, pages, names);
      return found === undefined ? text : whole.replace(`](${link})`, `](${found})`);
    });
    mkdirSync(dirname(join(target, place)), { recursive: true });
    writeFileSync(join(target, place), text);
  }
}

/** A link to a file, with its text; excludes links within a page and to the web. */
const LINK = /\[((?:[^\][]|\[[^\]]*\])*)\]\(((?!https?:|#)[^)\s]+)\)/g;

/** Returns a page and all pages of docs/ that are reachable from it by links. */
function reachable(first: string): ReadonlySet<string> {
  const found = new Set([first]);
  for (const page of found) {
    for (const [, , link = ""] of readFileSync(page, "utf8").matchAll(LINK)) {
      const target = join(dirname(page), link.replace(/#.*/, ""));
      if (/^docs\/[\w-]+\.md$/.test(target) && existsSync(target)) found.add(target);
    }
  }
  return found;
}

/** Returns a page's path in the package. */
function placeOf(page: string, room: string): string {
  return page.startsWith("docs/") ? page : relative(room, page);
}

/**
 * Returns the target of a link in the published page; undefined if the package does not contain the target.
 */
function linkFrom(
  page: string,
  link: string,
  room: string,
  pages: ReadonlySet<string>,
  names: PackageNames,
): string | undefined {
  const [path = "", anchor] = link.split("#");
  const target = join(dirname(page), path);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const from = dirname(placeOf(page, room));
  if (pages.has(target)) return `${relative(from, placeOf(target, room))}${hash}`;
  const other = names.get(target.replace(/\/(README\.md)?$/, ""));
  return other === undefined ? undefined : `${relative(from, "..")}/${other}/README.md${hash}`;
}
