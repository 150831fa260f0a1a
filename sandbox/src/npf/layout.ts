import { reject } from "../http/response.ts";
import { isObject, type JsonObject } from "../json.ts";
import { arrayOf, integerOf, invalid, objectOf } from "./check.ts";

function indexes(value: unknown, count: number, fail: (detail: string) => Error): number[] {
  if (!Array.isArray(value) || value.length === 0) throw fail("blocks is not a list of block indexes");
  return value.map((item) => {
    const index = typeof item === "string" ? Number(item) : item;
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count) {
      throw fail(`No block has the index ${String(item)}`);
    }
    return index;
  });
}

/** Returns the rows of a layout: `display`, or `rows` in the old form. */
function displayOf(layout: JsonObject): JsonObject[] {
  if (layout.display !== undefined) {
    return arrayOf(layout.display, "display").map((row) => objectOf(row, "display row"));
  }
  return arrayOf(layout.rows, "rows").map((blocks) => ({ blocks }));
}

function rowMode(row: JsonObject): string {
  const mode = isObject(row.mode) ? row.mode.type : "weighted";
  if (mode !== "weighted" && mode !== "carousel") throw invalid(`Unknown row mode: ${String(mode)}`);
  return mode;
}

/** Returns `truncate_after`. Ignores a value that is invalid or splits a row. */
function truncateAfter(value: unknown, rows: readonly number[][], count: number): JsonObject {
  const at = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof at !== "number" || !Number.isInteger(at) || at < -1 || at > count - 2) return {};
  const splits = rows.some((row) => row.some((index) => index <= at) && row.some((index) => index > at));
  return splits ? {} : { truncate_after: at };
}

function rowsLayout(layout: JsonObject, content: readonly JsonObject[], carousels: boolean): JsonObject {
  const display = displayOf(layout);
  const rows = display.map((row) => indexes(row.blocks, content.length, invalid));
  const seen = rows.flat();
  if (new Set(seen).size !== seen.length) throw invalid("A block index appears twice in display");
  const hidden = content.findIndex((block, i) => block.type !== "paywall" && !seen.includes(i));
  if (hidden >= 0) throw invalid(`Every block must appear in display, and ${hidden} does not`);
  for (const [i, row] of display.entries()) {
    const carousel = rowMode(row) === "carousel";
    if (carousel && !carousels) throw reject(403, "You cannot create a carousel");
    const several = carousel || (rows[i]?.length ?? 0) > 1;
    if (several && rows[i]?.some((index) => content[index]?.type !== "image")) {
      throw invalid("Rows of several blocks and carousels hold only images");
    }
  }
  const shown = display.map((row, i) =>
    isObject(row.mode) ? { blocks: rows[i], mode: row.mode } : { blocks: rows[i] },
  );
  return { type: "rows", display: shown, ...truncateAfter(layout.truncate_after, rows, content.length) };
}

function askLayout(layout: JsonObject, content: readonly JsonObject[]): JsonObject {
  const fail = (detail: string) => reject(400, detail, 8016);
  const asked = indexes(layout.blocks, content.length, fail);
  const attribution = layout.attribution;
  if (attribution !== undefined && !(isObject(attribution) && attribution.type === "blog")) {
    throw fail("The attribution of an ask is no blog attribution");
  }
  const barred =
    attribution === undefined
      ? (type: unknown) => type !== "text"
      : (type: unknown) => type === "video" || type === "link";
  if (asked.some((index) => barred(content[index]?.type))) {
    throw fail("The question holds a block that is not allowed");
  }
  return attribution === undefined
    ? { type: "ask", blocks: asked }
    : { type: "ask", blocks: asked, attribution };
}

/** Checks `layout` against the content, and returns it in the form in which it is stored. */
export function checkLayout(
  value: unknown,
  content: readonly JsonObject[],
  carousels: boolean,
): JsonObject[] {
  const layouts = arrayOf(value, "layout").map((item) => objectOf(item, "layout item"));
  const types = layouts.map((layout) => layout.type);
  if (new Set(types).size !== types.length) throw invalid("At most one layout of each type");
  return layouts.flatMap((layout) => {
    if (layout.type === "rows") return [rowsLayout(layout, content, carousels)];
    if (layout.type === "ask") return [askLayout(layout, content)];
    if (layout.type === "condensed") return [];
    throw invalid(`Unknown layout type: ${String(layout.type)}`);
  });
}

const isEmptyText = (block: JsonObject | undefined) => block?.type === "text" && block.text === "";

function moved(layout: JsonObject, from: number, to: number): JsonObject {
  const keep = (blocks: unknown) =>
    arrayOf(blocks, "blocks")
      .map((index) => integerOf(index, "index") - from)
      .filter((index) => index >= 0 && index < to - from);
  const out = { ...layout };
  if (layout.blocks !== undefined) out.blocks = keep(layout.blocks);
  if (Array.isArray(layout.display)) {
    const rows = layout.display.filter(isObject).map((row) => ({ ...row, blocks: keep(row.blocks) }));
    out.display = rows.filter((row) => row.blocks.length > 0);
  }
  if (typeof layout.truncate_after === "number") {
    out.truncate_after = Math.max(-1, layout.truncate_after - from);
  }
  return out;
}

/** Removes empty text blocks from the beginning and end, and adjusts the indexes in the layouts. */
export function trimEnds(
  content: JsonObject[],
  layout: JsonObject[],
): { content: JsonObject[]; layout: JsonObject[] } {
  let from = 0;
  let to = content.length;
  while (from < to && isEmptyText(content[from])) from++;
  while (to > from && isEmptyText(content[to - 1])) to--;
  if (from === 0 && to === content.length) return { content, layout };
  return { content: content.slice(from, to), layout: layout.map((item) => moved(item, from, to)) };
}
