/** Keeps generated lines shorter than 64 KiB: buf rejects or loses longer lines in a file with insertions. */

/** The maximum line length, in bytes, that every compiler accepts. */
export const LONGEST_LINE = 65_535;

/**
 * The length above which lines are broken. It is well below the limit, since another generator may indent the
 * lines.
 */
const WIDTH = 60_000;
/** The size, in bytes, of the pieces into which strings on a long line are split. */
const PIECE = 30_000;

/**
 * Breaks lines that are too long: comments at any word, code where it may continue on the next line, strings
 * into concatenations. A line that is one long name is not changed.
 */
export function breakLongLines(text: string): string {
  // a shortcut, since a character takes at most three bytes: most files have no such line
  if (text.length * 3 <= WIDTH) return text;
  return text
    .split("\n")
    .map((line) => (Buffer.byteLength(line) > WIDTH ? breakLine(line) : line))
    .join("\n");
}

/** Returns the length in bytes of the longest line. */
export function longestLine(text: string): number {
  return text.split("\n").reduce((longest, line) => Math.max(longest, Buffer.byteLength(line)), 0);
}

function breakLine(line: string): string {
  const [, indent = ""] = /^( *)(?:\/\*\*| \* )/.exec(line) ?? [];
  const isComment = /^ *(?:\/\*\*|\* )/.test(line);
  return isComment ? piecesOf(line, WIDTH - indent.length - 3).join(`\n${indent} * `) : breakCode(line);
}

/** The tokens: names and numbers, strings, templates, operators, and single characters. */
const TOKENS = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|[\w$]+|\s+|\|\||&&|\?\?|[\s\S]/gu;
/** Tokens after which a line may always end. */
const OPEN = new Set([",", ":", "(", "[", "{", "||", "&&", "??", "+\n"]);

function breakCode(line: string): string {
  const tokens = withoutLongStrings(line.match(TOKENS) ?? []);
  const lines: string[] = [];
  let current = "";
  let width = 0;
  // the text between two possible line ends stays together
  let chunk = "";
  const flush = () => {
    const size = Buffer.byteLength(chunk);
    if (width > 0 && width + size > WIDTH) {
      lines.push(current);
      current = "";
      width = 0;
    }
    current += chunk;
    width += size;
    chunk = "";
  };
  for (const token of tokens) {
    chunk += token.trimEnd() === "" ? token : token.replace(/\n$/, "");
    if (OPEN.has(token)) flush();
  }
  flush();
  return [...lines, current].map((each) => each.trimEnd()).join("\n");
}

/** Replaces each long string with a concatenation of strings; a long key becomes a computed key. */
function withoutLongStrings(tokens: readonly string[]): string[] {
  return tokens.flatMap((token, index) => {
    const quote = token.charAt(0);
    if ((quote !== '"' && quote !== "`") || Buffer.byteLength(token) <= PIECE) return [token];
    const parts = quote === '"' ? piecesOf(token.slice(1, -1), PIECE) : templatePieces(token.slice(1, -1));
    const sum = parts.flatMap((part, at) => [...(at === 0 ? [] : [" ", "+\n", " "]), quote + part + quote]);
    return isKey(tokens, index) ? ["[", ...sum, "]"] : sum;
  });
}

function isKey(tokens: readonly string[], index: number): boolean {
  const before = tokens.slice(0, index).findLast((token) => token.trim() !== "");
  return tokens[index + 1] === ":" && (before === undefined || before === "{" || before === ",");
}

/** Splits the inside of a template literal, but not inside `${…}`. */
function templatePieces(inner: string): string[] {
  const parts = inner.match(/\$\{[^}]*\}|(?:\\[\s\S]|(?!\$\{)[\s\S])+/gu) ?? [];
  return parts.flatMap((part) => (part.startsWith("${") ? [part] : piecesOf(part, PIECE)));
}

/** Splits a text into pieces of limited size in bytes, at blanks if possible, and never inside an escape. */
function piecesOf(text: string, size: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let bytes = 0;
  for (const unit of text.match(/\\u[0-9a-f]{4}|\\[\s\S]|[^ \\]{1,64}| |\\$/gu) ?? []) {
    const length = Buffer.byteLength(unit);
    if (bytes + length > size) {
      pieces.push(piece);
      piece = "";
      bytes = 0;
    }
    piece += unit;
    bytes += length;
  }
  return [...pieces, piece];
}
