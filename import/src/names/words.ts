/** The words that replace symbols in names that consist only of symbols. */
const SYMBOLS: readonly (readonly [RegExp, string])[] = [
  [/^\+(?=\w)/, "plus "],
  [/^-(?=\d)/, "minus "],
  [/^!=$|^<>$/, "not equal"],
  [/^>=$/, "at least"],
  [/^<=$/, "at most"],
  [/^==?$/, "equal"],
  [/^>$/, "greater"],
  [/^<$/, "less"],
  [/^\*$/, "all"],
];

/** Letters that do not decompose into ASCII letters. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  Æ: "AE",
  ø: "o",
  Ø: "O",
  đ: "d",
  Đ: "D",
  ł: "l",
  Ł: "L",
  œ: "oe",
  Œ: "OE",
  þ: "th",
  ð: "d",
};

/**
 * Returns the words of a name, in ASCII and lower case: `user`, `id` for `userID`, `user-id` and `user_id`.
 */
export function wordsOf(name: string): string[] {
  let text = name;
  for (const [pattern, word] of SYMBOLS) text = text.replace(pattern, word);
  return ascii(text)
    .replaceAll(/['’]/g, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** Replaces letters of other scripts with their code points, so that no name becomes empty. */
function ascii(text: string): string {
  return [...text.normalize("NFKD")]
    .map((character) => {
      if (/[\0-\x7F]/.test(character)) return character;
      const known = LETTERS[character];
      if (known !== undefined) return known;
      if (/\p{M}/u.test(character)) return "";
      return /[\p{L}\p{N}]/u.test(character) ? ` u${character.codePointAt(0)?.toString(16)} ` : " ";
    })
    .join("");
}

/** Formats words as `user_id`. The result begins with a letter. */
export function snake(words: readonly string[], fallback = "value"): string {
  const name = words.join("_");
  if (name === "") return fallback;
  return /^[a-z]/.test(name) ? name : `n${name}`;
}

/** Formats words as `UserId`. The result begins with a letter. */
export function pascal(words: readonly string[], fallback = "Value"): string {
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  if (name === "") return fallback;
  return /^[A-Z]/.test(name) ? name : `N${name}`;
}

/** Formats words as `USER_ID`, for a part of a longer name. */
export function upperSnake(words: readonly string[]): string {
  return words.join("_").toUpperCase();
}

/** Returns the JSON name that protobuf derives from a field name: `userId` for `user_id`. */
export function jsonName(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()).replaceAll("_", "");
}

/** Returns the singular of an English plural, for the common endings. */
export function singular(word: string): string {
  if (/(?:ss|us|is|news|series|status)$/.test(word)) return word;
  if (/ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ches|shes|sses|xes|zzes)$/.test(word)) return word.slice(0, -2);
  if (/s$/.test(word) && word.length > 2) return word.slice(0, -1);
  return word;
}

export function isPlural(word: string): boolean {
  return singular(word) !== word;
}
