/** Names of declarations for the keys of JSON. */
import { protoCamelCase } from "@bufbuild/protobuf/reflect";

/** The words of the proto language that cannot begin the type of a field. */
const KEYWORDS: ReadonlySet<string> = new Set(
  "enum extend extensions group import map message oneof option optional package repeated required reserved returns rpc service stream syntax to".split(
    " ",
  ),
);

/** Returns the words of a key, in lower case: `user`, `id` for `userID`, `user-id` and `user_id`. */
function wordsOf(key: string): readonly string[] {
  const words = key
    .normalize("NFKD")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
  return words.length > 0 && /^[a-z]/.test(words[0] ?? "") ? words : ["value", ...words];
}

/** Returns the name of a field: the key itself if it is such a name. */
export function fieldName(key: string): string {
  return /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(key) ? key : wordsOf(key).join("_");
}

/** Returns the name of the type for a key, in the singular: `LineItem` for `line_items`. */
export function typeName(key: string): string {
  const words = wordsOf(key);
  const all = [...words.slice(0, -1), singular(words.at(-1) ?? "")];
  const name = all.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return KEYWORDS.has(name) ? `${name}Type` : name;
}

/** Returns the name of an enum value: `STATUS_IN_REVIEW` for the enum `Status` and `in-review`. */
export function valueName(prefix: string, text: string): string {
  const words = wordsOf(text).join("_").toUpperCase();
  return `${prefix}_${words === "UNSPECIFIED" ? "UNSPECIFIED_VALUE" : words}`;
}

/** Returns the prefix of the values of an enum: `POST_STATE` for `PostState`, as linters compute it. */
export function prefixOf(enumName: string): string {
  return enumName.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])/g, "_").toUpperCase();
}

/** Returns the first of a name and the same name with numbers that is not taken, and takes it. */
export function unique(
  name: string,
  taken: Set<string>,
  identity: (name: string) => string = (n) => n,
): string {
  const separator = /^[A-Z][A-Za-z0-9]*[a-z]/.test(name) ? "" : "_";
  for (let number = 1; ; number++) {
    const each = number === 1 ? name : `${name}${separator}${number}`;
    if (taken.has(identity(each))) continue;
    taken.add(identity(each));
    return each;
  }
}

/** Reports whether the field of a name reads a key without an annotation. */
export function readsKey(name: string, key: string): boolean {
  return key === name || key === protoCamelCase(name);
}

/** Reports whether a key is likely the name of an identifier. */
export function isIdentifier(key: string): boolean {
  const last = wordsOf(key).at(-1) ?? "";
  return ["id", "ids", "uuid", "guid", "key", "number", "code", "zip", "phone", "pin"].includes(last);
}

/** Reports whether a key is likely the name of a free text, even if few different texts were seen. */
export function isFreeText(key: string): boolean {
  const last = singular(wordsOf(key).at(-1) ?? "");
  return isIdentifier(key) || FREE_TEXTS.has(last);
}

const FREE_TEXTS: ReadonlySet<string> = new Set(
  "name title login slug handle user username author owner blog email host domain url uri href link path file text body content description summary caption message comment note label tag token hash etag cursor version locale city country address".split(
    " ",
  ),
);

/** Reports whether a key is likely the name of a time. */
export function isTimeName(key: string): boolean {
  const last = wordsOf(key).at(-1) ?? "";
  return TIMES.has(last) || /(?:time|timestamp|date)$/.test(last);
}

const TIMES: ReadonlySet<string> = new Set(
  "at on time timestamp ts date created updated modified published deleted expires expiry expiration started ended until seen epoch".split(
    " ",
  ),
);

function singular(word: string): string {
  if (/(?:ss|us|is|news|series)$/.test(word) || word.length < 3) return word;
  if (/ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ches|shes|sses|xes|zzes)$/.test(word)) return word.slice(0, -2);
  return word.replace(/s$/, "");
}
