/**
 * Breaks long lines of generated code like a formatter: first at the brackets of the outermost list, then
 * inside it.
 */
import { unmarked } from "./erasable.ts";

/** The maximum number of columns in a line of code. Longer strings and names are not broken. */
export const WIDTH = 110;

const OPENING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const CLOSING: ReadonlySet<string> = new Set(Object.values(OPENING));
/**
 * The tokens: strings, templates, names, operators at which an expression may be broken, and single
 * characters.
 */
const TOKENS =
  /"(?:[^"\\]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}]|\{[^{}]*\})*\})*`|[\w$]+|\|\||&&|\?\?|=>|[\s\S]/gu;
const OPERATORS: ReadonlySet<string> = new Set(["&&", "||", "??"]);
/** The words before a parenthesis that is not a list of arguments or parameters. */
const KEYWORDS: ReadonlySet<string> = new Set(["if", "for", "while", "switch", "return", "throw", "case"]);

/** A bracket and its closing bracket, as token indexes. */
interface Group {
  readonly start: number;
  readonly end: number;
}

/** Returns the lines of a statement, a member or the head of a block. A short line is returned unchanged. */
export function wrapLine(line: string): string[] {
  if (columns(line) <= WIDTH) return [line];
  const code = line.trimStart();
  if (/^(?:\/[/*]|\*)/.test(code)) return [line];
  const indent = line.slice(0, line.length - code.length);
  return wrapTokens(code.match(TOKENS) ?? [], indent);
}

/** Returns a list of short items on one line, or on as few lines as possible. */
export function fillList(head: string, items: readonly string[], tail: string): string[] {
  const line = `${head}${items.join(", ")}${tail}`;
  if (columns(line) <= WIDTH) return [line];
  const lines: string[] = [];
  for (const item of items) {
    const filled = `${lines.at(-1) ?? ""} ${item},`;
    const fits = lines.length > 0 && columns(filled) <= WIDTH;
    lines.splice(fits ? -1 : lines.length, 1, fits ? filled : `  ${item},`);
  }
  return [head, ...lines, tail];
}

function wrapTokens(tokens: readonly string[], indent: string): string[] {
  const text = indent + tokens.join("");
  if (columns(text) <= WIDTH) return [text];
  const groups = topGroups(tokens);
  return (
    wrapBranch(tokens, groups, indent) ??
    wrapAssignment(tokens, indent) ??
    wrapGroup(tokens, groups, indent) ??
    wrapOperators(tokens, `${indent}  `, indent) ?? [text]
  );
}

/** Wraps the branch of an `if` or a loop in braces if it does not fit after its condition. */
function wrapBranch(
  tokens: readonly string[],
  groups: readonly Group[],
  indent: string,
): string[] | undefined {
  const [condition] = groups;
  const isBranch = (tokens[0] === "if" || tokens[0] === "for") && condition?.start === 2;
  if (!isBranch || tokens.at(-1) === "{") return undefined;
  const head = [...tokens.slice(0, condition.end + 1), " ", "{"];
  const body = trimmed(tokens.slice(condition.end + 1));
  return [...wrapTokens(head, indent), ...wrapTokens(body, `${indent}  `), `${indent}}`];
}

/** Moves an assigned expression to separate lines if it has operators to break at. */
function wrapAssignment(tokens: readonly string[], indent: string): string[] | undefined {
  const [assign] = atTop(tokens, (token) => token === "=");
  // the operator is an assignment, not a comparison
  if (assign === undefined || tokens[assign + 1] !== " " || tokens[assign - 1] !== " ") return undefined;
  const inner = `${indent}  `;
  const value = wrapOperators(trimmed(tokens.slice(assign + 1)), inner, inner);
  return value === undefined ? undefined : [indent + tokens.slice(0, assign + 1).join(""), ...value];
}

/** Breaks the last list that is not empty. */
function wrapGroup(
  tokens: readonly string[],
  groups: readonly Group[],
  indent: string,
): string[] | undefined {
  const group = groups.findLast(({ start, end }) => end > start + 1 && !isMember(tokens, start));
  if (group === undefined) return undefined;
  const inner = trimmed(tokens.slice(group.start + 1, group.end));
  const head = indent + tokens.slice(0, group.start + 1).join("");
  const tail = tokens.slice(group.end).join("");
  const hugged = wrapLastGroup(inner, head, tail, indent) ?? wrapLastArrow(inner, head, tail, indent);
  if (hugged !== undefined) return hugged;
  const isList = tokens[group.start] !== "(" || isCall(tokens, group.start);
  return [head, ...wrapItems(inner, `${indent}  `, isList), indent + tail];
}

/** Opens an object or array at the end of a list on the line of the list. */
function wrapLastGroup(
  inner: readonly string[],
  head: string,
  tail: string,
  indent: string,
): string[] | undefined {
  const group = huggedGroup(inner);
  const first = `${head}${inner.slice(0, (group?.start ?? 0) + 1).join("")}`;
  if (group === undefined || columns(first) > WIDTH) return undefined;
  const items = trimmed(inner.slice(group.start + 1, group.end));
  return [
    first,
    ...wrapItems(items, `${indent}  `, true),
    `${indent}${inner.slice(group.end).join("")}${tail}`,
  ];
}

/** Begins a function at the end of a list on the line of the list. */
function wrapLastArrow(
  inner: readonly string[],
  head: string,
  tail: string,
  indent: string,
): string[] | undefined {
  const [arrow] = atTop(inner, (token) => token === "=>");
  const hasOthersBehind = atTop(inner, (token) => token === ",").some((comma) => comma > (arrow ?? 0));
  if (arrow === undefined || hasOthersBehind) return undefined;
  const first = `${head}${inner.slice(0, arrow + 1).join("")}`;
  const body = [...trimmed(inner.slice(arrow + 1)), ","];
  return columns(first) > WIDTH ? undefined : [first, ...wrapTokens(body, `${indent}  `), indent + tail];
}

/** Returns an object or array that is the only or last content of brackets: it opens on the same line. */
function huggedGroup(tokens: readonly string[]): Group | undefined {
  const group = topGroups(tokens).at(-1);
  if (group === undefined || group.end !== tokens.length - 1 || group.end === group.start + 1) {
    return undefined;
  }
  if (tokens[group.start] === "(") return undefined;
  const before = tokens.slice(0, group.start);
  // after a colon, the content is a value in another list
  const isItem = before.length === 0 || before.at(-2) === ",";
  return isItem && before.every((token) => OPENING[token] === undefined) ? group : undefined;
}

/** Puts each item of a list on a separate line, or breaks an expression at its operators. */
function wrapItems(tokens: readonly string[], indent: string, isList: boolean): string[] {
  if (!isList) return wrapOperators(tokens, indent, indent) ?? wrapTokens(tokens, indent);
  return splitItems(tokens).flatMap((item) => {
    const withComma = [...item, ","];
    if (columns(indent + withComma.join("")) <= WIDTH) return [indent + withComma.join("")];
    return wrapOperators(withComma, `${indent}  `, indent) ?? wrapTokens(withComma, indent);
  });
}

/** Breaks after operators outside of brackets. */
function wrapOperators(tokens: readonly string[], indent: string, first: string): string[] | undefined {
  const ends = atTop(tokens, (token) => OPERATORS.has(token));
  if (ends.length === 0 || tokens.includes("=>")) return undefined;
  const starts = [0, ...ends.map((end) => end + 1)];
  return starts.flatMap((start, index) => {
    const end = ends[index];
    return wrapTokens(
      trimmed(tokens.slice(start, end === undefined ? tokens.length : end + 1)),
      index === 0 ? first : indent,
    );
  });
}

function splitItems(tokens: readonly string[]): string[][] {
  const commas = atTop(tokens, (token) => token === ",");
  const starts = [0, ...commas.map((comma) => comma + 1)];
  return starts
    .map((start, index) => trimmed(tokens.slice(start, commas[index] ?? tokens.length)))
    .filter((item) => item.length > 0);
}

function trimmed(tokens: readonly string[]): string[] {
  const start = tokens.findIndex((token) => token !== " ");
  const end = tokens.findLastIndex((token) => token !== " ");
  return start < 0 ? [] : tokens.slice(start, end + 1);
}

/** Reports whether a parenthesis contains arguments or parameters, which may end with a comma. */
function isCall(tokens: readonly string[], start: number): boolean {
  const before = tokens[start - 1];
  if (before === undefined) return false;
  return /^[\w$]+$/.test(before) && !KEYWORDS.has(before);
}

/** Reports whether a bracket accesses a member, as in `json["title"]`, and does not begin a list. */
function isMember(tokens: readonly string[], start: number): boolean {
  const before = tokens[start - 1] ?? "";
  return tokens[start] === "[" && /^(?:[\w$]+|[\])])$/.test(before) && !KEYWORDS.has(before);
}

/** Returns the indexes of matching tokens outside of brackets. */
function atTop(tokens: readonly string[], fits: (token: string) => boolean): number[] {
  const groups = topGroups(tokens);
  let next = 0;
  return tokens.flatMap((token, index) => {
    while (next < groups.length && (groups[next]?.end ?? 0) < index) next++;
    const group = groups[next];
    const isInside = group !== undefined && index >= group.start;
    return !isInside && fits(token) ? [index] : [];
  });
}

/** Returns the outermost pairs of brackets. Brackets that are not closed on the line are ignored. */
function topGroups(tokens: readonly string[]): Group[] {
  const open: number[] = [];
  const groups: Group[] = [];
  for (const [index, token] of tokens.entries()) {
    if (OPENING[token] !== undefined) open.push(index);
    const start = CLOSING.has(token) ? open.pop() : undefined;
    if (start === undefined) continue;
    while ((groups.at(-1)?.start ?? -1) > start) groups.pop();
    groups.push({ start, end: index });
  }
  return groups;
}

function columns(text: string): number {
  return unmarked(text).length;
}
