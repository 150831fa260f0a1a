import type { JsonObject } from "../json.ts";
import { arrayOf, codePoints, integerOf, invalid, objectOf, textOf } from "./check.ts";
import { INDENTED, INLINE_TYPES, NPF_LIMITS, TEXT_SUBTYPES } from "./limits.ts";

/** Finds a blog by UUID, and returns the reference for mentions. */
export type MentionLookup = (uuid: string) => JsonObject | undefined;

function inlineFormat(value: unknown, length: number, mention: MentionLookup): JsonObject {
  const format = objectOf(value, "formatting item");
  const type = INLINE_TYPES.find((item) => item === format.type);
  if (!type) throw invalid(`Unknown inline format: ${String(format.type)}`);
  const start = integerOf(format.start, "formatting.start");
  const end = integerOf(format.end, "formatting.end");
  if (start < 0 || end <= start || end > length) {
    throw invalid(`Formatting ${start}-${end} is outside the text`);
  }
  if (type === "link") return { start, end, type, url: textOf(format.url, "formatting.url") };
  if (type === "color") {
    const hex = textOf(format.hex, "formatting.hex");
    if (!/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(hex)) throw invalid(`Invalid color: ${hex}`);
    return { start, end, type, hex };
  }
  if (type === "mention") {
    const uuid = textOf(objectOf(format.blog, "formatting.blog").uuid, "formatting.blog.uuid");
    const blog = mention(uuid);
    if (!blog) throw invalid(`Mentioned blog not found: ${uuid}`);
    return { start, end, type, blog };
  }
  return { start, end, type };
}

const sameKind = (a: JsonObject, b: JsonObject) =>
  a.type === b.type && a.url === b.url && a.hex === b.hex && a.type !== "mention";

/** Merges overlapping ranges with the same format. */
function merged(formats: JsonObject[]): JsonObject[] {
  const out: JsonObject[] = [];
  for (const format of formats.toSorted((a, b) => Number(a.start) - Number(b.start))) {
    const same = out.find((item) => sameKind(item, format) && Number(item.end) >= Number(format.start));
    if (same) {
      same.end = Math.max(Number(same.end), Number(format.end));
    } else {
      out.push({ ...format });
    }
  }
  return out;
}

/** Checks a text block, and returns it in the form in which it is stored. */
export function textBlock(block: JsonObject, mention: MentionLookup): JsonObject {
  const text = textOf(block.text, "text");
  const length = codePoints(text);
  if (length > NPF_LIMITS.textCodePoints) {
    throw invalid(`Text of ${length} code points, at most ${NPF_LIMITS.textCodePoints}`);
  }
  const out: JsonObject = { type: "text", text };
  if (block.subtype !== undefined && block.subtype !== null) {
    if (!TEXT_SUBTYPES.some((item) => item === block.subtype)) {
      throw invalid(`Unknown text subtype: ${String(block.subtype)}`);
    }
    out.subtype = block.subtype;
  }
  if (block.indent_level !== undefined && block.indent_level !== null) {
    const level = integerOf(block.indent_level, "indent_level");
    if (level < 0 || level > 7) throw invalid(`indent_level ${level} is not within 0 to 7`);
    if (level > 0 && !INDENTED.some((item) => item === out.subtype)) {
      throw invalid("This subtype has no indent_level");
    }
    out.indent_level = level;
  }
  const formatting = arrayOf(block.formatting, "formatting").map((item) =>
    inlineFormat(item, length, mention),
  );
  if (formatting.length > 0) out.formatting = merged(formatting);
  return out;
}
